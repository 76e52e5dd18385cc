// Corrects a model's overall level by users' scores, only as far as several voices agree on more than chance. A voice
// is an account: however many keys its holder has, their scores are one opinion.
import { clampMagnitude, dot } from "./algebra.ts";
import { BEFORE_SHARE, type Drifts } from "./drift.ts";
import type { Lifts, Posterior } from "./fitted.ts";
import { mapInSlices } from "./slices.ts";

/** The standard deviation of one score, roughly. */
export const SCORE_SPREAD = 0.45;
/** A model's level starts as if this many answers had scored as expected. */
export const LEVEL_START = 20;
/** The same for what the scores of all models have in common. */
const SHARED_START = 40;
/** A correction is reduced by this many standard errors, so that chance replaces no champion. */
const CHANCE = 1.5;
/** One voice in this many may lie, and one of fewer. */
const VOICES_PER_LIAR = 5;

/** Returns the weight of labels that leaves this much doubt. */
export function countLabels(doubt: number): number {
  return LEVEL_START / doubt - LEVEL_START;
}

/** A user's score of an answer to a prompt of this design. */
export interface UserScore {
  readonly accountId: string;
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

export interface Voices {
  /** By model, each voice's sum beyond what labels say. */
  readonly models: ReadonlyMap<string, ReadonlyMap<string, Sum>>;
  /** The account of all scores if there is only one. Its keys are the voices then. Null if there are several or none. */
  readonly onlyAccount: string | null;
}

/** Sums up scores by model and voice. */
export function* collectVoices(
  scores: readonly UserScore[],
  posterior: Posterior | null,
): Generator<void, Voices> {
  const onlyAccount = findOnlyAccount(scores);
  const models = new Map<string, Map<string, Sum>>();
  yield* mapInSlices(scores, ({ accountId, keyId, model, weight, residual, phi }) => {
    const fit = posterior?.fits.get(model);
    const told = posterior && fit ? fit.overall + dot(posterior.common, phi) + dot(fit.weights, phi) : 0;
    const voices = models.get(model) ?? new Map<string, Sum>();
    const voice = onlyAccount === null ? accountId : keyId;
    const own = { count: weight, residual: weight * (residual - told) };
    models.set(model, voices.set(voice, add(voices.get(voice) ?? NONE, own)));
  });
  return { models, onlyAccount };
}

function findOnlyAccount(scores: readonly UserScore[]): string | null {
  const first = scores[0]?.accountId ?? null;
  return scores.every(({ accountId }) => accountId === first) ? first : null;
}

/**
 * Returns the correction of each scored model's level beyond what labels say. Users score the model chosen for them: if
 * its scores are low, it is worse than expected, or its users are strict or ask what is hard for all models. Part of what
 * scores have in common is therefore left to the users. The scores of a single voice are taken as they are.
 */
export function* weighVoices(
  { models }: Pick<Voices, "models">,
  drifts: Drifts = {},
): Generator<void, Lifts> {
  const isSingle = new Set(models.values().flatMap((voices) => voices.keys())).size === 1;
  let shared = { count: SHARED_START, residual: 0 };
  yield* mapInSlices([...models.values()], (voices) => {
    const own = agree([...voices.values()], 0, isSingle);
    const share = LEVEL_START / (LEVEL_START + own.count);
    shared = add(shared, { count: share * own.count, residual: share * own.residual });
  });
  const usual = isSingle ? 0 : shared.residual / shared.count;
  const corrections = yield* mapInSlices([...models], ([model, voices]) => {
    const { count, residual } = agree([...voices.values()], usual, isSingle);
    const chance = CHANCE * SCORE_SPREAD * Math.sqrt(count);
    // The expectation of a model that has changed is older than the change, too.
    const start = drifts[model] === undefined ? LEVEL_START : BEFORE_SHARE * LEVEL_START;
    const lift = (residual - clampMagnitude(residual, chance)) / (count + start);
    return [model, { lift, count }] as const;
  });
  return Object.fromEntries(corrections);
}

/**
 * Sums up without the voices that deviate most, as many on either side as may lie. The expectation counts as a voice: of
 * two, the one closer to it decides, and a model that only one of several scores stays as it is.
 */
function agree(voices: readonly Sum[], usual: number, isSingle: boolean): Sum {
  const liars = isSingle ? 0 : Math.max(1, Math.floor(voices.length / VOICES_PER_LIAR));
  const apart = voices.map(({ count, residual }) => ({ count, residual: residual - usual * count }));
  const ordered = [...apart, NONE].sort((a, b) => a.residual - b.residual);
  return ordered.slice(liars, ordered.length - liars).reduce(add, NONE);
}

function add(one: Sum, other: Sum): Sum {
  return { count: one.count + other.count, residual: one.residual + other.residual };
}
