// Google's error bodies (google.rpc.Status) as faults: as an answer of their own, inside a stream, or with status 200.
import type { Fault, FaultCode } from "../../core/faults/fault.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { type ErrorRule, readRetryAfterMs, upstreamFault } from "../../core/models/upstream.ts";

const RULES: readonly ErrorRule[] = [
  // A key without billing where there is no free tier. A file that isn't ready has the same status.
  { status: 400, begins: "Gemini API free tier is not available", means: "upstream_auth" },
  { status: 400, begins: "User location is not supported", means: "upstream_auth" },
  { status: 429, begins: "Your prepayment credits are depleted", means: "upstream_auth" },
  { status: 429, begins: "Your project has exceeded its monthly spending cap", means: "upstream_auth" },
  { status: 503, begins: "The model is overloaded", means: "provider_busy" },
  { status: 503, begins: "This model is currently experiencing high demand", means: "provider_busy" },
];

/** Reads an error answer: `{error}`, `[{error}]` from a stream without `alt=sse`, `data: {error}` from one with it. */
export function explain(status: number, headers: Headers, body: string, nowMs: number): Fault {
  const parsed = parseReceived(body.replace(/^\s*data:/, ""));
  const holder = Array.isArray(parsed) ? parsed[0] : parsed;
  return explainError(asObject(holder).error, status, readRetryAfterMs(headers, nowMs));
}

/** Returns the fault for an error object. `status` is the HTTP status, if any. Inside a stream the object holds it. */
export function explainError(value: unknown, status?: number, retryAfterMs?: number): Fault {
  const error = asObject(value);
  const code = asNumber(error.code) ?? 0;
  const message = asString(error.message) ?? asString(value);
  const details = asArray(error.details).filter(isObject);
  const meant = status ?? (code >= 400 ? code : 502);
  const name = asString(error.status);
  return upstreamFault({
    status: meant,
    message,
    codes: name === undefined ? [] : [name],
    rules: RULES,
    retryAfterMs: readRetryDelayMs(details) ?? retryAfterMs,
    means: readMeaning(meant, details),
  });
}

/** `google.rpc.RetryInfo`: `"36s"`, `"48.939s"`. There is no Retry-After header. */
function readRetryDelayMs(details: readonly JsonObject[]): number | undefined {
  for (const { retryDelay } of details) {
    const seconds = Number.parseFloat(asString(retryDelay) ?? "");
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds * 1000);
  }
  return undefined;
}

/** Returns the meaning of the details beyond the status. */
function readMeaning(status: number, details: readonly JsonObject[]): FaultCode | undefined {
  const reasons = details.map((each) => asString(each.reason) ?? "");
  if (reasons.some((reason) => reason.startsWith("API_KEY_"))) return "upstream_auth";
  return status === 429 && isQuotaExhausted(details) ? "upstream_auth" : undefined;
}

/**
 * `google.rpc.QuotaFailure` names the exceeded quota. Every 429 mentions "quota and billing", but only a daily quota,
 * or a quota of zero, stays exceeded for long.
 */
function isQuotaExhausted(details: readonly JsonObject[]): boolean {
  const quotas = details.flatMap((each) => asArray(each.violations)).map(asObject);
  return quotas.some(
    ({ quotaId, quotaValue }) => /PerDay/.test(asString(quotaId) ?? "") || String(quotaValue) === "0",
  );
}
