// Trying out another model than the one that was chosen, now and then, where the operator has switched that on.
import type { Candidate } from "./candidate.ts";
import type { Choice } from "./choose.ts";

/** Another is tried out only where it isn't expected to cost, or to take, more than so many times what the chosen one does. */
const TIMES_MAX = 2;

/**
 * The one to be tried out in place of the choice; null: none. `share` is that of requests with which it is done, `roll`
 * gives another number from 0 up to 1 at each call. Never where a pin decides or a conversation stays with its model, never one that the selector thinks too
 * little of.
 */
export function explored(choice: Choice, share: number, roll: () => number): Candidate | null {
  if (choice.choice === null || choice.pinned !== null || choice.stays || share <= 0 || roll() >= share)
    return null;
  const [usual, ...others] = choice.candidates.filter(({ eligible }) => eligible);
  if (usual === undefined) return null;
  const worthwhile = others.filter((one) => choice.selector.canReplace(one, usual) && isNoDearer(one, usual));
  return worthwhile[Math.floor(roll() * worthwhile.length)] ?? null;
}

function isNoDearer(one: Candidate, usual: Candidate): boolean {
  const isCheap = (one.costUsd ?? 0) <= TIMES_MAX * (usual.costUsd ?? 0);
  return isCheap && one.latencyMs <= TIMES_MAX * usual.latencyMs;
}
