// The trace of a request and the lines of its bill, stored with its row as JSON.

import type { FailureWords } from "../faults/failure.ts";
import { asNumber, isObject, parseJson } from "../json/json.ts";
import type { HookPlace } from "../models/hook.ts";
import type { BillLine, NanoUsd } from "../money/money.ts";
import { type Amounts, expandAmounts, NO_AMOUNTS, shortenAmounts } from "../money/units.ts";

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
  /** The credential's place in the provider's list, from 1. Missing unless `last4` is null. */
  readonly position?: number | undefined;
  /** Missing unless the call failed, as in rows of earlier versions. */
  readonly failure?: FailureWords | undefined;
  /** The calls that were sent. Missing in rows of earlier versions. */
  readonly calls?: number;
  /** The provider's own ids of its calls. Missing if it gave none, or `failure` has the only one. */
  readonly requestIds?: readonly string[] | undefined;
  /** The usage that the provider reported, but for what is 0. Missing if it reported none, or the row has the same. */
  readonly claimed?: ShortClaim | undefined;
  /** The id of the price by which its answer was charged (`price_id`). Missing unless it answered. */
  readonly price?: string | undefined;
}

/** The usage of an answer as its provider reported it. */
export interface ClaimedUsage extends Amounts {
  /** The cost of the answer by its provider. Missing if it doesn't say. */
  readonly costNanoUsd?: NanoUsd;
}

type ShortClaim = Partial<ClaimedUsage>;

/** Returns the claim as it is stored. */
export function shortenClaim({ costNanoUsd, ...amounts }: ClaimedUsage): ShortClaim {
  const short = shortenAmounts({ ...NO_AMOUNTS, ...amounts });
  return costNanoUsd === undefined ? short : { ...short, costNanoUsd };
}

/** Returns all of a stored claim. */
export function expandClaim(stored: Readonly<Record<string, unknown>>): ClaimedUsage {
  const costNanoUsd = asNumber(stored.costNanoUsd);
  const amounts = expandAmounts(stored);
  return costNanoUsd === undefined ? amounts : { ...amounts, costNanoUsd };
}

export interface Trace {
  /** Null if the request was never admitted, or that is unknown. */
  readonly admittedMs: number | null;
  readonly attempts: readonly TracedAttempt[];
  readonly bill: readonly BillLine[];
  readonly markup: number;
  /** The place of the attempt whose usage the row has, from 0. Missing if it has none's. */
  readonly counted?: number | undefined;
  /** The token counts that the provider reported, if they were implausible and the bill uses others. Null otherwise. */
  readonly usageImplausible: { readonly promptTokens: number; readonly completionTokens: number } | null;
  /** The services and regions of the answer that its card has no price for: `service_tier=priority`. Missing if there are none. */
  readonly unpriced?: readonly string[] | undefined;
  /** Those of the answer that were charged by a price of their own. Missing if there are none. */
  readonly served?: readonly string[] | undefined;
  /** The provider's own reasons for the end that the gateway doesn't know. Missing if there are none. */
  readonly unknownFinishes?: readonly string[] | undefined;
  /** The error shown to the client, if the words are ours: a provider's may quote the prompt. */
  readonly message: string | null;
  /** The calls to hooks. Missing if there were none. */
  readonly hooks?: readonly TracedHook[] | undefined;
}

/** Parses a row's JSON. Returns null if it is invalid. */
export function readTrace(json: string | null): Trace | null {
  const kept = json === null ? null : parseJson(json);
  return isTrace(kept) ? kept : null;
}

function isTrace(value: unknown): value is Trace {
  return isObject(value) && Array.isArray(value.attempts) && Array.isArray(value.bill);
}

/** The result of one call to a hook. */
export const HOOK_ACTIONS = ["passed", "changed", "blocked", "failed"] as const;
export type HookAction = (typeof HOOK_ACTIONS)[number];

/** The price of a hook's own model, with the markup. */
export interface HookCost {
  readonly model: string;
  readonly nanoUsd: NanoUsd;
}

/** One call to a hook, for the request's timeline. Times are in milliseconds, in a trace since the start of the request. */
export interface TracedHook {
  readonly name: string;
  readonly at: HookPlace;
  readonly action: HookAction;
  readonly startMs: number;
  readonly endMs: number;
  /** Missing if it has no model of its own. */
  readonly cost?: HookCost | undefined;
}
