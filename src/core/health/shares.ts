// The bound on what one payer's samples weigh in a figure that another payer's choice rests on.
import { nameVoices } from "../keys/payer.ts";

/** Each of the others is at most one part of so many. */
const PARTS = 4;

/**
 * Returns the share of each of the others' weights that counts, so that no voice of theirs is more than a quarter of all that
 * counts. `payers` names the others. The reader's own weight counts in full. Without any, fewer than four voices count for
 * nothing: none of them could be outvoted.
 */
export function boundShares(
  own: number,
  others: readonly number[],
  payers: readonly string[],
  reader: string,
): readonly number[] {
  const [, ...voices] = nameVoices([reader, ...payers]);
  const sums = new Map<string, number>();
  for (const [at, voice] of voices.entries()) sums.set(voice, (sums.get(voice) ?? 0) + (others[at] ?? 0));
  const most = findMost(own, [...sums.values()]);
  return voices.map((voice) => {
    const weight = sums.get(voice) ?? 0;
    return weight > most ? most / weight : 1;
  });
}

/** Returns the weight up to which each of the others counts. The heaviest are cut to it, until it is a quarter of the whole. */
function findMost(own: number, others: readonly number[]): number {
  const heaviest = others.toSorted((a, b) => b - a);
  for (let cut = 0; ; cut++) {
    const uncut = heaviest.slice(cut).reduce((sum, weight) => sum + weight, 0);
    const most = (own + uncut) / (PARTS - cut);
    // With three of them cut, the fourth is no more than all that is left.
    if ((heaviest[cut] ?? 0) <= most) return most;
  }
}
