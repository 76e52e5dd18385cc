// The consequence of a line's failure: it ends, is tried again, waits for others, or stops its batch until money or time heals it.
import type { Fault, FaultCode } from "../core/fault.ts";
import { findWaitMs } from "../core/fault-wait.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Refusals that money, time or the operator can heal: no line of the batch starts before. */
const HEALABLE: ReadonlySet<FaultCode> = new Set([
  "insufficient_balance",
  "budget_exceeded",
  "rate_limit_exceeded",
  "key_paused",
  "account_paused",
  "sign_in_required",
]);
/** Limits that others in flight, or the last minute, have used: the line's turn comes again. */
const CROWDED: ReadonlySet<FaultCode> = new Set([
  "too_many_parallel_requests",
  "requests_per_minute_exceeded",
  "tokens_per_minute_exceeded",
  "budget_reserved",
]);
/** FailedTry again until the window ends. */
const UNBOUNDED: ReadonlySet<FaultCode> = new Set([
  "provider_busy",
  "no_provider_available",
  "upstream_auth",
  "overloaded",
  "store_unavailable",
  "hook_unavailable",
  "shutting_down",
]);
/** FailedTry again a few times. */
const BOUNDED: ReadonlySet<FaultCode> = new Set(["upstream_error", "upstream_timeout"]);

export type Verdict =
  | { readonly kind: "end" }
  /** The next line doesn't fit under the batch's ceiling, even if nothing else runs. */
  | { readonly kind: "unpaid" }
  | { readonly kind: "stop" }
  /** The key may never be used again. */
  | { readonly kind: "cancel" }
  | { readonly kind: "crowded"; readonly afterMs: number }
  | { readonly kind: "again"; readonly afterMs: number; readonly isCounted: boolean };

interface FailedTry {
  readonly batchId: string;
  /** The tries of the line that failed before this one. */
  readonly failed: number;
  readonly triesMax: number;
}

/** True for a refusal that stops the batch, or lets the line wait: it is no refusal of a request. */
export function isHealable({ code }: Fault): boolean {
  return HEALABLE.has(code) || CROWDED.has(code);
}

export function judgeFailure(fault: Fault, { batchId, failed, triesMax }: FailedTry): Verdict {
  const { code, details } = fault;
  const isCeiling = details.limit?.name === batchId;
  if (isCeiling && code === "budget_exceeded") return { kind: "unpaid" };
  if (code === "invalid_api_key") return { kind: "cancel" };
  if (HEALABLE.has(code)) return { kind: "stop" };
  if (CROWDED.has(code))
    return { kind: "crowded", afterMs: Math.min(findWaitMs(fault) ?? FIRST_WAIT_MS, LONGEST_WAIT_MS) };
  const afterMs = Math.max(computeWait(failed), details.retryAfterMs ?? 0);
  if (UNBOUNDED.has(code)) return { kind: "again", afterMs, isCounted: false };
  if (BOUNDED.has(code) && failed + 1 < triesMax) return { kind: "again", afterMs, isCounted: true };
  return { kind: "end" };
}

/** 1 s, doubling to 60 s. */
function computeWait(failed: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failed, 10));
}
