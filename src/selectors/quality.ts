// The predicted probability of a good answer: a model's skills in the request's kinds, its difficulty, what was learned.
// The less of a request was ever seen, the more the prediction shrinks to the model's overall level.
import { SKILLS } from "../core/skill.ts";
import type { Shift } from "./learning/learned.ts";
import type { Prediction } from "./predictor.ts";
import type { Profile } from "./profiles.ts";

/** The log-odds that a unit of predicted difficulty takes away. */
const DIFFICULTY_SLOPE = 0.7;
/** A request of a kind that was never seen adds this to the uncertainty: benchmark sets of one kind differ by as much. */
const STRANGE_SPREAD = 0.2;
/** This share of a guessed model's own uncertainty is taken off its quality, less the more labels there are; of a measured one none. */
const CAUTION = 0.5;
const QUALITY_MIN = 0.01;
export const QUALITY_MAX = 0.99;

/** The part of a prediction that a model's quality depends on. */
type Kind = Pick<Prediction, "categories" | "difficultyLogit" | "support">;

/** The request's side of every model's quality, worked out once for thousands of models. */
export interface QualityAsk {
  readonly weights: Weights;
  /** The uncertainty about the request itself, the same for all models. */
  readonly strangeSpread: number;
}

interface Weights {
  /** By SKILLS. */
  readonly shares: Float64Array;
  readonly support: number;
  /** The difficulty takes this from the log-odds. */
  readonly harder: number;
}

export function prepareQuality(prediction: Prediction): QualityAsk {
  const { support, sure } = prediction;
  return { weights: weighKinds(prediction), strangeSpread: STRANGE_SPREAD * (1 - support * sure) };
}

/** Without what was learned: the part that learning corrects. */
export function expectedQuality(profile: Profile, kind: Kind): number {
  return expect(profile, weighKinds(kind));
}

/** The array that the qualities of many models are written to, one value a model each. */
export interface QualityColumns {
  /** 0…1. */
  readonly quality: Float64Array;
  /** About one standard deviation below. */
  readonly qualityLow: Float64Array;
  /** The model's overall level, whatever the request. */
  readonly level: Float64Array;
}

/** Writes one model's row; `shift` is what was learned of it. Returning an object for each would take a third longer. */
export function writeQuality(
  { quality, qualityLow, level }: QualityColumns,
  at: number,
  profile: Profile,
  shift: Shift,
  { weights, strangeSpread }: QualityAsk,
): void {
  const before = expect(profile, weights);
  // The uncertainty is one of log-odds: where nearly all answers are good, little of it is left.
  const spread = mix(profile.oddsSpreads, weights.shares) * before * (1 - before);
  const known = spread * shift.doubt;
  const guess = profile.isGuessed ? CAUTION * known : 0;
  const after = clamp(before + shift.quality - guess);
  quality[at] = after;
  qualityLow[at] = clamp(after - Math.sqrt(known ** 2 + shift.spread ** 2 + strangeSpread ** 2));
  level[at] = profile.level + shift.lift - guess;
}

function weighKinds({ categories, difficultyLogit, support }: Kind): Weights {
  return {
    shares: Float64Array.from(SKILLS, (skill) => categories[skill]),
    support,
    harder: DIFFICULTY_SLOPE * difficultyLogit * (0.3 + 0.7 * support),
  };
}

function expect({ odds, oddsLevel }: Profile, { shares, support, harder }: Weights): number {
  return sigmoid(oddsLevel + support * (mix(odds, shares) - oddsLevel) - harder);
}

function mix(values: Float64Array, shares: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < shares.length; at++) sum += (shares[at] ?? 0) * (values[at] ?? 0);
  return sum;
}

function clamp(share: number): number {
  return Math.max(QUALITY_MIN, share);
}

function sigmoid(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
