// Corrects a model's overall level by users' scores, only as far as several keys agree on more than chance.
import { clampMagnitude, dot } from "./algebra.ts";
import type { Posterior } from "./fitted.ts";
import { mapInSlices } from "./slices.ts";

/** The standard deviation of one score, roughly. */
export const SCORE_SPREAD = 0.45;
/** A model's level starts as if this many answers had scored as expected. */
export const LEVEL_START = 20;
/** The same for what the scores of all models have in common. */
const SHARED_START = 40;
/** A correction is reduced by this many standard errors, so that chance replaces no champion. */
const CHANCE = 1.5;
/** One key in this many may lie, and one of fewer. */
const KEYS_PER_LIAR = 5;

/** A user's score of an answer to a prompt of this design. */
export interface UserScore {
  readonly keyId: string;
  readonly model: string;
  readonly weight: number;
  /** The score minus its expectation. */
  readonly residual: number;
  readonly phi: Float64Array;
}

/** Sums over scores. */
const NONE = { count: 0, residual: 0 } as const;
type Sum = Readonly<Record<keyof typeof NONE, number>>;

/**
 * Returns the correction of each scored model's level beyond what labels say. Users score the model chosen for them: if
 * its scores are low, it is worse than expected, or its users are strict or ask what is hard for all models. Part of what
 * scores have in common is therefore left to the users. If a single key scores, its scores are taken as they are.
 */
export function* weighFeedback(
  scores: readonly UserScore[],
  posterior: Posterior | null,
): Generator<void, Record<string, number>> {
  const models = new Map<string, Map<string, Sum>>();
  const users = new Set<string>();
  yield* mapInSlices(scores, ({ keyId, model, weight, residual, phi }) => {
    const fit = posterior?.fits.get(model);
    const told = posterior && fit ? fit.overall + dot(posterior.common, phi) + dot(fit.weights, phi) : 0;
    const keys = models.get(model) ?? new Map<string, Sum>();
    const own = { count: weight, residual: weight * (residual - told) };
    models.set(model, keys.set(keyId, add(keys.get(keyId) ?? NONE, own)));
    users.add(keyId);
  });
  const isSingle = users.size === 1;
  let shared = { count: SHARED_START, residual: 0 };
  for (const keys of models.values()) {
    const own = agree([...keys.values()], 0, isSingle);
    const share = LEVEL_START / (LEVEL_START + own.count);
    shared = add(shared, { count: share * own.count, residual: share * own.residual });
  }
  const usual = isSingle ? 0 : shared.residual / shared.count;
  const corrections = [...models].map(([model, keys]) => {
    const { count, residual } = agree([...keys.values()], usual, isSingle);
    const chance = CHANCE * SCORE_SPREAD * Math.sqrt(count);
    return [model, (residual - clampMagnitude(residual, chance)) / (count + LEVEL_START)] as const;
  });
  return Object.fromEntries(corrections);
}

/**
 * Sums up without the keys that deviate most, as many on either side as may lie. The expectation counts as a key: of two
 * keys, the one closer to it decides, and a model that only one of several keys scores stays as it is.
 */
function agree(keys: readonly Sum[], usual: number, isSingle: boolean): Sum {
  const liars = isSingle ? 0 : Math.max(1, Math.floor(keys.length / KEYS_PER_LIAR));
  const apart = keys.map(({ count, residual }) => ({ count, residual: residual - usual * count }));
  const ordered = [...apart, NONE].sort((a, b) => a.residual - b.residual);
  return ordered.slice(liars, ordered.length - liars).reduce(add, NONE);
}

function add(one: Sum, other: Sum): Sum {
  return { count: one.count + other.count, residual: one.residual + other.residual };
}
