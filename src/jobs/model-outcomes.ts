// Reads the end of a line's try for its model: it answers, it takes nothing, or nothing is known.
import type { Fault } from "../core/faults/fault.ts";
import type { Pacing } from "./pacing.ts";
import { isUnsent } from "./trying.ts";

/** True for the failures of a model, or of all that a line could have gone to. */
export function isUnanswered({ row }: Fault): boolean {
  return row.line === "tries" || row.line === "again";
}

/**
 * Notes that a model's line wasn't answered. Returns the time on the monotonic clock before which none of its lines starts. Null if
 * the failure keeps no other line back.
 */
export function noteFailure(pacing: Pacing, model: string, nowMs: number, fault: Fault): number | null {
  const afterMs = fault.details.retryAfterMs ?? null;
  const isShut = pacing.isShut(model);
  if (isUnsent(fault)) {
    // A provider that is merely busy takes lines at a pace, which is known unless a selector chooses.
    const isBusy = fault.code === "provider_busy" && !isShut && pacing.isPaced(model);
    return isBusy ? null : pacing.shut(model, nowMs, afterMs);
  }
  if (fault.code === "upstream_auth") return pacing.shut(model, nowMs, afterMs);
  // A trial has failed: the next line learns how long its model rests.
  return isShut && isUnanswered(fault) ? pacing.shut(model, nowMs, 0) : null;
}

/** Notes that a line has ended: a provider that refuses its request answers. */
export function noteEnd(pacing: Pacing, model: string, nowMs: number, fault: Fault | null): void {
  const isAnswered = fault === null || (fault.details.upstreamStatus !== undefined && !isUnanswered(fault));
  if (isAnswered) pacing.open(model, nowMs);
}
