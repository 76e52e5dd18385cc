// The trace of a request and the lines of its bill, stored with its row as JSON.
import { asArray, asNumber, asString, isObject, parseJson } from "./json.ts";
import type { BillLine } from "./money.ts";

/** The end of an attempt: it answered, it failed (possibly midway), another was faster, or the client left. */
export const ATTEMPT_OUTCOMES = ["answered", "failed", "outrun", "left"] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Times are in milliseconds since the start of the request. */
export interface TracedAttempt {
  readonly model: string;
  /** The last characters of the credential, if it is long enough to show them. */
  readonly last4: string | null;
  readonly startMs: number;
  readonly firstTokenMs: number | null;
  readonly endMs: number;
  readonly outcome: AttemptOutcome;
  readonly faultCode: string | null;
  readonly upstreamStatus: number | null;
}

export interface Trace {
  /** Null if the request was never admitted, or that is unknown. */
  readonly admittedMs: number | null;
  readonly attempts: readonly TracedAttempt[];
  readonly bill: readonly BillLine[];
  readonly markup: number;
  /** The token counts that the provider reported, if they were implausible and the bill uses others. Null otherwise. */
  readonly usageImplausible: { readonly promptTokens: number; readonly completionTokens: number } | null;
  /** The error shown to the client, if the words are ours: a provider's may quote the prompt. */
  readonly message: string | null;
}

/** Parses a row's JSON. Returns null if it is invalid. */
export function readTrace(json: string | null): Trace | null {
  const kept = json === null ? null : parseJson(json);
  if (!isObject(kept)) return null;
  return {
    admittedMs: asNumber(kept.admittedMs) ?? null,
    attempts: asArray(kept.attempts).flatMap(readAttempt),
    bill: asArray(kept.bill).flatMap(readLine),
    markup: asNumber(kept.markup) ?? 1,
    usageImplausible: readClaim(kept.usageImplausible),
    message: asString(kept.message) ?? null,
  };
}

function readClaim(value: unknown): Trace["usageImplausible"] {
  if (!isObject(value)) return null;
  const { promptTokens, completionTokens } = value;
  return { promptTokens: asNumber(promptTokens) ?? 0, completionTokens: asNumber(completionTokens) ?? 0 };
}

function readAttempt(value: unknown): readonly TracedAttempt[] {
  if (!isObject(value)) return [];
  const model = asString(value.model);
  const outcome = ATTEMPT_OUTCOMES.find((one) => one === value.outcome);
  if (model === undefined || outcome === undefined) return [];
  return [
    {
      model,
      last4: asString(value.last4) ?? null,
      startMs: asNumber(value.startMs) ?? 0,
      firstTokenMs: asNumber(value.firstTokenMs) ?? null,
      endMs: asNumber(value.endMs) ?? 0,
      outcome,
      faultCode: asString(value.faultCode) ?? null,
      upstreamStatus: asNumber(value.upstreamStatus) ?? null,
    },
  ];
}

function readLine(value: unknown): readonly BillLine[] {
  if (!isObject(value)) return [];
  const { count, usdPerMillion } = value;
  const what = asString(value.what);
  const isLine = what !== undefined && typeof count === "number" && typeof usdPerMillion === "number";
  return isLine ? [{ what, count, usdPerMillion }] : [];
}
