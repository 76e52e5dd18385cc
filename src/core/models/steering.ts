// Demands on the choice of a model, beyond the operator's rules for all requests: those of an alias's policy and those of
// the request itself.

export interface Steering {
  /** Lists of patterns: a model must match one of each. */
  readonly allow: readonly (readonly string[])[];
  readonly deny: readonly string[];
  /** The most that the answer may cost: predicted, held and billed. Null for any amount. */
  readonly maxCostUsd: number | null;
  /** The longest predicted time. Null for any. */
  readonly maxMs: number | null;
  /** The share of the best quality, 0…1, that `fair` keeps. Null for the operator's setting. */
  readonly quality: number | null;
}

export const UNSTEERED: Steering = { allow: [], deny: [], maxCostUsd: null, maxMs: null, quality: null };

/** Returns what keeps to both. Of the two shares the second counts if it is set. */
export function combineSteering(one: Steering, other: Steering): Steering {
  if (one === UNSTEERED) return other;
  if (other === UNSTEERED) return one;
  return {
    allow: [...one.allow, ...other.allow],
    deny: [...one.deny, ...other.deny],
    maxCostUsd: findLeast(one.maxCostUsd, other.maxCostUsd),
    maxMs: findLeast(one.maxMs, other.maxMs),
    quality: other.quality ?? one.quality,
  };
}

function findLeast(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
