// Trust in each key's scores of a model: no key whose scores differ from all other keys' decides what is learned.
import type { Lesson } from "../../core/rows.ts";

/** The standard deviation of one score, roughly. */
export const SCORE_SPREAD = 0.45;
/** Scores that deviate by at most this many standard errors count in full. */
const CHANCE = 2;

interface Sum {
  count: number;
  apart: number;
}

/** Returns the share of its weight that a key's scores of a model keep, 0…1. */
export type TrustKey = (keyId: string, model: string) => number;

/**
 * Compares the mean of a key's scores, less what was expected, with the median of all keys' means. The further apart
 * they are beyond chance, the less the key counts. Labels from the operator have no key and count in full.
 */
export function trustKeys(
  lessons: Iterable<Partial<Pick<Lesson, "keyId">> & Pick<Lesson, "marks">>,
): TrustKey {
  const models = new Map<string, Map<string, Sum>>();
  for (const { keyId, marks } of lessons) {
    if (!keyId) continue;
    for (const { model, score, expected } of marks) {
      const keys = models.get(model) ?? new Map<string, Sum>();
      models.set(model, keys);
      const sum = keys.get(keyId) ?? { count: 0, apart: 0 };
      keys.set(keyId, sum);
      sum.count++;
      sum.apart += score - expected;
    }
  }
  const medians = new Map([...models].map(([model, keys]) => [model, findMedian([...keys.values()])]));
  return (keyId, model) => {
    const sum = models.get(model)?.get(keyId);
    if (sum === undefined) return 1;
    const errors = Math.abs(sum.apart / sum.count - (medians.get(model) ?? 0)) * Math.sqrt(sum.count);
    return Math.min(1, ((CHANCE * SCORE_SPREAD) / (errors + Number.MIN_VALUE)) ** 2);
  };
}

/** Returns the median of the keys' means: between the middle two if their number is even. */
function findMedian(sums: readonly Sum[]): number {
  const means = sums.map(({ apart, count }) => apart / count).sort((a, b) => a - b);
  const [low = 0, high = 0] = [means[(means.length - 1) >> 1], means[means.length >> 1]];
  return (low + high) / 2;
}
