// Google's error bodies (google.rpc.Status) as faults: as an answer of their own, within a stream, or in a 200.
import type { Fault, FaultCode } from "../../core/fault.ts";
import {
  arrayOf,
  isObject,
  type JsonObject,
  numberOf,
  objectOf,
  parseJson,
  stringOf,
} from "../../core/json.ts";
import { retryAfterMsOf, upstreamFault } from "../../core/upstream.ts";

/** An error answer: `{error}`, `[{error}]` from a stream without `alt=sse`, or `data: {error}` from one with it. */
export function explain(status: number, headers: Headers, body: string, nowMs: number): Fault {
  const parsed = parseJson(body.replace(/^\s*data:/, ""));
  const holder = Array.isArray(parsed) ? parsed[0] : parsed;
  return errorFault(objectOf(holder).error, status, retryAfterMsOf(headers, nowMs));
}

/** The fault for an error object. `status` is the HTTP status where there is one; within a stream the object says it. */
export function errorFault(given: unknown, status?: number, retryAfterMs?: number): Fault {
  const error = objectOf(given);
  const code = numberOf(error.code) ?? 0;
  const message = stringOf(error.message) ?? stringOf(given);
  const details = arrayOf(error.details).filter(isObject);
  const meant = status ?? (code >= 400 ? code : 502);
  const waitMs = retryDelayMsOf(details) ?? retryAfterMs;
  const means = meaningOf(meant, message ?? "", error, details);
  const name = stringOf(error.status);
  return upstreamFault({
    status: meant,
    ...(message === undefined ? {} : { message }),
    ...(name === undefined ? {} : { code: name }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(means === undefined ? {} : { means }),
  });
}

/** `google.rpc.RetryInfo`: `"36s"`, `"48.939s"`. There is no Retry-After header. */
function retryDelayMsOf(details: readonly JsonObject[]): number | undefined {
  for (const { retryDelay } of details) {
    const seconds = Number.parseFloat(stringOf(retryDelay) ?? "");
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds * 1000);
  }
  return undefined;
}

/** Where Google's own words say more than the status. */
function meaningOf(
  status: number,
  message: string,
  error: JsonObject,
  details: readonly JsonObject[],
): FaultCode | undefined {
  const reasons = details.map((each) => stringOf(each.reason) ?? "");
  if (reasons.some((reason) => reason.startsWith("API_KEY_"))) return "upstream_auth";
  // A key without billing where the free tier is not served.
  if (status === 400 && error.status === "FAILED_PRECONDITION") return "upstream_auth";
  // Every 429 speaks of "quota and billing": only a day's or an empty one is spent for longer than a moment.
  if (status === 429) return isSpent(message, details) ? "upstream_auth" : "provider_busy";
  return status === 503 && /overloaded|high demand/i.test(message) ? "provider_busy" : undefined;
}

/** `google.rpc.QuotaFailure` names the quota that was exceeded. */
function isSpent(message: string, details: readonly JsonObject[]): boolean {
  const quotas = details.flatMap((each) => arrayOf(each.violations)).map(objectOf);
  if (quotas.some(({ quotaId }) => /PerDay/.test(stringOf(quotaId) ?? ""))) return true;
  return /limit: 0\b|credits are depleted|spending cap/i.test(message);
}
