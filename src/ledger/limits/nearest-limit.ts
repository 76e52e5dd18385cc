// The limit of a minute that is nearest to its end, for the headers of an answer.
import type { Admission } from "../../core/demand.ts";
import type { Minute, RequestLimits } from "../../core/limits/limit.ts";
import { COUNTED } from "../../core/limits/limit-table.ts";
import type { RunningLimits } from "./limits.ts";
import { addCount, findEmptyMs, sumCounts } from "./minute.ts";
import { countTokens } from "./minute-checks.ts";

interface NearestLimit extends Pick<RequestLimits, "limit" | "remaining"> {
  readonly minute: Minute;
  /** The request's own part. */
  readonly taken: number;
}

/** Returns the limit of this kind that is nearest to its end once the request is let in, for the answer's headers. */
export function findNearestLimit(
  { owners }: RunningLimits,
  kind: "requests" | "tokens",
  { load, nowMs }: Pick<Admission, "load" | "nowMs">,
): RequestLimits | null {
  let nearest: NearestLimit | null = null;
  for (const { owner, minute } of owners) {
    const limit = owner[COUNTED[kind].property];
    if (limit === null || minute === null) continue;
    const taken = kind === "requests" ? 1 : countTokens(owner, load);
    const remaining = Math.max(0, limit - sumCounts(minute[kind]) - taken);
    if (nearest === null || remaining < nearest.remaining) nearest = { limit, remaining, minute, taken };
  }
  if (nearest === null) return null;
  const { limit, remaining, minute, taken } = nearest;
  const counts = addCount(minute[kind], minute, minute.part, taken);
  return { limit, remaining, resetMs: Math.max(0, findEmptyMs(counts, minute, nowMs) - nowMs) };
}
