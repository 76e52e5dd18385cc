// Trying out another model than the one that was chosen, now and then, where the operator has switched that on.
import type { Choice } from "./choose.ts";
import type { Candidate } from "./consider.ts";

/** Another is tried out only where it isn't expected to cost, or to take, more than so many times what the chosen one does. */
const TIMES_MAX = 2;
/** `fair` and `light` give those above their floor of quality scores from here on. */
const ABOVE_FLOOR = 1;

/**
 * The one to be tried out in place of the choice; null: none. `share` is that of requests with which it is done, `roll`
 * gives a number from 0 up to 1, anew at each call. Never where a pin decides, never below the selector's own floor; `best`
 * tries those that may be as good, by what isn't known of them. `whole` gives the choice with all its candidates, where
 * this one is cut short.
 */
export function explored(
  choice: Choice,
  share: number,
  roll: () => number,
  whole: () => Choice = () => choice,
): Candidate | null {
  if (choice.choice === null || choice.pinned !== null || share <= 0 || roll() >= share) return null;
  const [usual, ...others] = whole().candidates.filter(({ eligible }) => eligible);
  if (usual === undefined) return null;
  const worthwhile = others.filter((one) => mayBeAsGood(one, usual, choice) && isNoDearer(one, usual));
  return worthwhile[Math.floor(roll() * worthwhile.length)] ?? null;
}

function mayBeAsGood(one: Candidate, usual: Candidate, { selector }: Choice): boolean {
  if (selector !== "best") return one.score >= ABOVE_FLOOR;
  return one.quality + (one.quality - one.qualityLow) >= usual.quality;
}

function isNoDearer(one: Candidate, usual: Candidate): boolean {
  const isCheap = (one.costUsd ?? 0) <= TIMES_MAX * (usual.costUsd ?? 0);
  return isCheap && one.latencyMs <= TIMES_MAX * usual.latencyMs;
}
