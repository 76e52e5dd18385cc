// An owner's last minute in thirteen counters: in any 60 seconds, never more than the limit is let in.
import { type Minute, type ModelCount, PART_MS, PARTS } from "../../core/limits/limit.ts";

const NO_COUNTS: readonly number[] = Array.from({ length: PARTS }, () => 0);
const NEW_MINUTE: Minute = { part: 0, requests: NO_COUNTS, tokens: NO_COUNTS, parallel: 0, tookMs: 0 };

/** The share of the last answer in the time that answers take. */
const TOOK_SHARE = 0.3;

/**
 * Returns the minute as of now. A part that lies in the future was counted by a clock that ran ahead: it counts as the
 * running one, so that it is neither forgotten nor kept for longer than a minute.
 */
export function runMinute(minute: Minute | null, nowMs: number): Minute {
  const part = Math.floor(nowMs / PART_MS);
  if (minute === null) return { ...NEW_MINUTE, part };
  const passed = part - minute.part;
  if (passed === 0) return minute;
  if (passed < 0) return { ...minute, part };
  const counts = { requests: shift(minute.requests, passed), tokens: shift(minute.tokens, passed) };
  if (minute.models === undefined) return { ...minute, part, ...counts };
  return { ...minute, part, ...counts, models: shiftModels(minute.models, passed) };
}

/** Those of which nothing is left in the minute are dropped, also for limits that there are no more. */
function shiftModels(models: readonly ModelCount[], passed: number): readonly ModelCount[] {
  return models
    .map(({ name, requests, tokens }) => ({
      name,
      requests: shift(requests, passed),
      tokens: shift(tokens, passed),
    }))
    .filter(({ requests, tokens }) => sumCounts(requests) + sumCounts(tokens) > 0);
}

/** Returns what counts in the limit of this name on some models. */
export function countOf({ models }: Minute, name: string): ModelCount {
  return models?.find((one) => one.name === name) ?? { name, requests: NO_COUNTS, tokens: NO_COUNTS };
}

function shift(counts: readonly number[], by: number): readonly number[] {
  if (by >= PARTS) return NO_COUNTS;
  return [...NO_COUNTS.slice(0, by), ...counts.slice(0, PARTS - by)];
}

export function sumCounts(counts: readonly number[]): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/** Adds to the counts of a part. A part that has already left the minute is not counted any more: nothing changes. */
export function addCount(
  counts: readonly number[],
  minute: Pick<Minute, "part">,
  part: number,
  added: number,
): readonly number[] {
  const at = Math.max(0, minute.part - part);
  const count = counts[at];
  return count === undefined || added === 0 ? counts : counts.with(at, Math.max(0, count + added));
}

/** Returns the milliseconds until this many more fit, or null if they never do. */
export function findWait(
  counts: readonly number[],
  { part }: Pick<Minute, "part">,
  needed: number,
  limit: number,
  nowMs: number,
): number | null {
  let left = sumCounts(counts);
  for (let at = PARTS - 1; at >= 0 && left + needed > limit; at--) {
    left -= counts[at] ?? 0;
    if (left + needed <= limit) return Math.max(1, (part - at + PARTS) * PART_MS - nowMs);
  }
  return left + needed <= limit ? 0 : null;
}

/** Returns the time at which all counts have left the minute. */
export function findEmptyMs(
  counts: readonly number[],
  { part }: Pick<Minute, "part">,
  nowMs: number,
): number {
  const newest = counts.findIndex((count) => count > 0);
  return newest === -1 ? nowMs : (part - newest + PARTS) * PART_MS;
}

/** Returns how long answers take, after one more. */
export function blendTook(tookMs: number, lastMs: number): number {
  return tookMs === 0 ? lastMs : Math.round(tookMs + (lastMs - tookMs) * TOOK_SHARE);
}
