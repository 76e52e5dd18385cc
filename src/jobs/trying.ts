// The consequence of a line's failure: it ends, is tried again, waits for others, or stops its batch until money or time heals it.
import type { Fault } from "../core/faults/fault.ts";
import { findWaitMs } from "../core/faults/fault-wait.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

export type Verdict =
  | { readonly kind: "end" }
  /** The next line doesn't fit under the batch's ceiling, even if nothing else runs. */
  | { readonly kind: "unpaid" }
  | { readonly kind: "stop" }
  /** The key may never be used again. */
  | { readonly kind: "cancel" }
  | { readonly kind: "crowded"; readonly afterMs: number }
  /** No model could take it, and nothing was sent. `afterMs` is null if nobody knows when one can. */
  | { readonly kind: "unsent"; readonly afterMs: number | null }
  | { readonly kind: "again"; readonly afterMs: number; readonly isCounted: boolean };

interface FailedTry {
  readonly batchId: string;
  /** The tries of the line that failed before this one. */
  readonly failed: number;
  /** The tries in a row that ended so that the line was tried again. */
  readonly waits: number;
  readonly triesMax: number;
}

/** True for a refusal that stops the batch, or lets the line wait: it is no refusal of a request. */
export function isHealable(fault: Fault): boolean {
  return fault.row.line === "stops" || fault.row.line === "crowded" || isUnsent(fault);
}

/** True if no model could take the line, so that it was sent to none. */
export function isUnsent({ code, details }: Fault): boolean {
  return (
    code === "no_provider_available" || (code === "provider_busy" && details.upstreamStatus === undefined)
  );
}

/** True for the refusal of a key that may never be used again. */
export function hasKeyEnded({ code }: Fault): boolean {
  return code === "invalid_api_key";
}

export function judgeFailure(fault: Fault, { batchId, failed, waits, triesMax }: FailedTry): Verdict {
  const { code, details } = fault;
  const { line } = fault.row;
  const isCeiling = details.limit?.name === batchId;
  if (isCeiling && code === "budget_exceeded") return { kind: "unpaid" };
  if (hasKeyEnded(fault)) return { kind: "cancel" };
  if (line === "stops") return { kind: "stop" };
  if (line === "crowded")
    return { kind: "crowded", afterMs: Math.min(findWaitMs(fault) ?? FIRST_WAIT_MS, LONGEST_WAIT_MS) };
  if (isUnsent(fault)) return { kind: "unsent", afterMs: details.retryAfterMs ?? null };
  const afterMs = Math.max(computeWait(waits), details.retryAfterMs ?? 0);
  if (line === "again") return { kind: "again", afterMs, isCounted: false };
  if (line === "tries" && failed + 1 < triesMax) return { kind: "again", afterMs, isCounted: true };
  return { kind: "end" };
}

/** 1 s, doubling to 60 s. */
export function computeWait(waits: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(waits, 10));
}
