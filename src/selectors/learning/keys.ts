// The trust in each key's scores of a model: no key whose scores are unlike all other keys' decides what is learned.
import type { Lesson } from "../../core/rows.ts";

/** The standard deviation of one score, about. */
export const SCORE_SPREAD = 0.45;
/** Scores that are off by no more standard errors than this count in full. */
const CHANCE = 2;

interface Sum {
  count: number;
  apart: number;
}

/** The share of its weight that a key's scores of a model keep, 0…1. */
export type TrustKey = (keyId: string, model: string) => number;

/**
 * By how far the mean of a key's scores, beside what was expected of the answers, is from the median of all keys' means: the
 * further than chance explains, the less they count. Labels that the operator feeds have no key, and count in full.
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

/** The median of the keys' means; between two of them where they are even in number. */
function findMedian(sums: readonly Sum[]): number {
  const means = sums.map(({ apart, count }) => apart / count).sort((a, b) => a - b);
  const [low = 0, high = 0] = [means[(means.length - 1) >> 1], means[means.length >> 1]];
  return (low + high) / 2;
}
