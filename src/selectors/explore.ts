// Tries a model other than the chosen one now and then, if the operator has enabled it.
import type { Candidate } from "./candidate.ts";
import type { Choice } from "./choose.ts";

/** Another is tried only if its expected cost and time are at most this many times the chosen one's. */
const TIMES_MAX = 2;

/**
 * Returns the candidate to try instead of the choice. Null if none. `share` is the share of requests that try one;
 * `roll` returns a new random number from 0 up to 1 at each call. Never replaces a pin or a conversation's model, and
 * never tries one that the selector scores too low.
 */
export function explore(choice: Choice, share: number, roll: () => number): Candidate | null {
  if (
    choice.choice === null ||
    choice.pinned !== null ||
    choice.stays !== null ||
    share <= 0 ||
    roll() >= share
  )
    return null;
  const [usual, ...others] = choice.candidates.filter(({ eligible }) => eligible);
  if (usual === undefined) return null;
  const worthwhile = others.filter((one) => choice.rule.canReplace(one, usual) && isNoDearer(one, usual));
  return worthwhile[Math.floor(roll() * worthwhile.length)] ?? null;
}

function isNoDearer(one: Candidate, usual: Candidate): boolean {
  const isCheap = (one.costUsd ?? 0) <= TIMES_MAX * (usual.costUsd ?? 0);
  return isCheap && one.latencyMs <= TIMES_MAX * usual.latencyMs;
}
