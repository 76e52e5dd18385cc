// Predicts the probability of a good answer from a model's skills, the request's kinds and difficulty, and what was
// learned; the less familiar the request, the closer to the model's overall level.

import type { Profile } from "./profiles.ts";
import type { CardTable } from "./table.ts";
import type { Prediction } from "./text/predictor.ts";

/** Log-odds lost per unit of predicted difficulty. */
const DIFFICULTY_SLOPE = 0.7;
/** The uncertainty that an unfamiliar kind of request adds: benchmark sets of one kind differ by as much. */
const STRANGE_SPREAD = 0.2;
/** The share of its uncertainty that a guessed model's quality loses, less the more labels there are. 0 if measured. */
export const CAUTION = 0.5;
export const QUALITY_MIN = 0.01;
export const QUALITY_MAX = 0.99;

/** The part of a prediction that a model's quality depends on. */
type QualityInput = Pick<Prediction, "skills" | "difficultyLogit" | "support">;

/** The request's side of every model's quality, computed once for thousands of models. */
type QualityAsk = Readonly<ReturnType<typeof prepareQuality>>;

/** `sure` is how surely the request is of a single kind known from training, 0…1. */
export function prepareQuality({
  skills,
  support,
  difficultyLogit,
  sure = 0,
}: QualityInput & { sure?: number }) {
  return {
    skills: Float64Array.from(skills),
    support,
    /** Log-odds lost to the difficulty. */
    harder: DIFFICULTY_SLOPE * difficultyLogit * (0.3 + 0.7 * support),
    /** The uncertainty about the request itself, the same for all models. */
    strangeSpread: STRANGE_SPREAD * (1 - support * sure),
  };
}

/**
 * Returns, by profile, the quality without what was learned, and what the doubt about a guessed one takes off it while nothing
 * is known of its answers: 0 if it is measured.
 */
export function expectProfiles({ odds, oddsSpreads, oddsLevel, isGuessed }: CardTable, ask: QualityAsk) {
  const size = ask.skills.length;
  const expected = new Float64Array(oddsLevel.length);
  const caution = new Float64Array(oddsLevel.length);
  for (let place = 0; place < expected.length; place++) {
    const before = expect(odds, place * size, oddsLevel[place] ?? 0, ask);
    expected[place] = before;
    if (isGuessed[place] === 1)
      caution[place] = CAUTION * computeSpread(oddsSpreads, place * size, 1, ask, before);
  }
  return { expected, caution };
}

/** Returns the quality without what was learned: the part that learning corrects. */
export function estimatePriorQuality(profile: Profile, kind: QualityInput): number {
  return expect(profile.odds, 0, profile.oddsLevel, prepareQuality(kind));
}

/** Returns the standard deviation of a model's quality. Computed for few models: a decision compares thousands. */
export function estimateDoubt(profile: Profile, doubt: number, spread: number, ask: QualityAsk): number {
  const before = expect(profile.odds, 0, profile.oddsLevel, ask);
  const own = computeSpread(profile.oddsSpreads, 0, doubt, ask, before);
  return Math.hypot(own, spread, ask.strangeSpread);
}

/** `spreads` are in log-odds. As probabilities they shrink by p(1−p): little is left if nearly all answers are good. */
export function computeSpread(
  spreads: Float64Array,
  from: number,
  doubt: number,
  { skills }: QualityAsk,
  before: number,
): number {
  return mix(spreads, from, skills) * before * (1 - before) * doubt;
}

/** Returns the quality without what was learned. A profile's odds begin at `from`. */
function expect(
  odds: Float64Array,
  from: number,
  oddsLevel: number,
  { skills, support, harder }: QualityAsk,
): number {
  const logit = oddsLevel + support * (mix(odds, from, skills) - oddsLevel) - harder;
  return 1 / (1 + Math.exp(-logit));
}

function mix(values: Float64Array, from: number, shares: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < shares.length; at++) sum += (shares[at] ?? 0) * (values[from + at] ?? 0);
  return sum;
}
