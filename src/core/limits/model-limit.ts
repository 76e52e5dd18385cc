// Limits of a minute on the requests for some models, as an operator sets them on a key.

/** At least one of both limits is set. */
export interface ModelLimit {
  /** Sorted patterns of the models, and entries of the aliases, that share it. */
  readonly models: readonly string[];
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

/** The most of a key. */
export const MODEL_LIMITS_MAX = 8;

/** Sorts the models and drops repeated ones: the same ones in another order are the same limit. */
export function makeModelLimit({ models, ...limits }: ModelLimit): ModelLimit {
  return { models: [...new Set(models)].sort(), ...limits };
}

/** Returns the name under which it is counted. Entries contain no spaces. */
export function nameModelLimit({ models }: Pick<ModelLimit, "models">): string {
  return models.join(" ");
}

/** True if one of the limits binds at least as tightly. */
export function isModelLimitKept(bound: ModelLimit, limits: readonly ModelLimit[]): boolean {
  const name = nameModelLimit(bound);
  const own = limits.find((one) => nameModelLimit(one) === name);
  return (
    own !== undefined &&
    isWithin(own.requestsPerMinute, bound.requestsPerMinute) &&
    isWithin(own.tokensPerMinute, bound.tokensPerMinute)
  );
}

function isWithin(own: number | null, bound: number | null): boolean {
  return bound === null || (own !== null && own <= bound);
}
