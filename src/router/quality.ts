// The predicted probability of a good answer: a model's skills in the request's kinds, its difficulty, what was learned.
// The less of a request was ever seen, the more the prediction shrinks to the model's overall level.
import { SKILLS } from "../core/skill.ts";
import type { Learned } from "./learned.ts";
import type { Prediction } from "./predictor.ts";
import type { Profile } from "./profiles.ts";

export interface Quality {
  /** 0…1. */
  readonly quality: number;
  /** About one standard deviation below. */
  readonly low: number;
  /** The model's overall level at this difficulty, whatever the kind of request. */
  readonly level: number;
}

/** How much a unit of predicted difficulty takes from the log-odds. */
const DIFFICULTY_SLOPE = 0.7;
/** What a stranger of a request adds to the uncertainty. */
const STRANGE_SPREAD = 0.05;
/** What is left of a profile's uncertainty when much was learned. */
const SURE_SHARE = 0.4;
/** How much of the uncertainty about what was learned is told. */
const LEARNED_SPREAD = 0.3;
const QUALITY_MIN = 0.01;
const QUALITY_MAX = 0.99;

/** What of a prediction a model's quality depends on. */
type Asked = Pick<Prediction, "categories" | "difficultyLogit" | "support">;

/** Without what was learned: the part that learning corrects. */
export function expectedQuality(profile: Profile, prediction: Asked): number {
  return shares(profile, prediction).quality;
}

export function qualityOf(
  model: string,
  profile: Profile,
  prediction: Prediction,
  learned: Learned,
): Quality {
  const expected = shares(profile, prediction);
  const shift = learned.shiftOf(model, prediction);
  const known = expected.spread * (SURE_SHARE + (1 - SURE_SHARE) * shift.doubt);
  const learnt = shift.spread * LEARNED_SPREAD;
  const strange = STRANGE_SPREAD * (1 - prediction.support);
  const spread = Math.sqrt(known * known + learnt * learnt + strange * strange);
  const quality = clamp(expected.quality + shift.quality);
  return { quality, low: clamp(quality - spread), level: clamp(expected.level + shift.overall) };
}

/** What none of the profiles between two is above, and the doubt that none is below; nothing learned. */
export function qualityBound(least: Profile, most: Profile, prediction: Prediction) {
  const low = shares(least, prediction);
  const high = shares(most, prediction);
  const bend = Math.min(low.quality * (1 - low.quality), high.quality * (1 - high.quality));
  const strange = STRANGE_SPREAD * (1 - prediction.support);
  const spread = Math.sqrt((low.oddsSpread * bend) ** 2 + strange * strange);
  return {
    quality: clamp(high.quality) + ROUNDING,
    level: clamp(high.level) + ROUNDING,
    doubt: Math.max(0, Math.min(spread, low.quality - QUALITY_MIN) - ROUNDING),
  };
}
const ROUNDING = 1e-9;

function shares(profile: Profile, { categories, difficultyLogit, support }: Asked) {
  let mixed = 0;
  let spread = 0;
  for (let at = 0; at < SKILLS.length; at++) {
    const share = categories[SKILLS[at] ?? "knowledge"];
    const odds = profile.odds[at] ?? 0;
    mixed += share * odds;
    spread += share * (profile.oddsSpreads[at] ?? 0);
  }
  const level = profile.oddsLevel;
  const harder = DIFFICULTY_SLOPE * difficultyLogit * (0.3 + 0.7 * support);
  const quality = sigmoid(level + support * (mixed - level) - harder);
  // The uncertainty is one of log-odds: where nearly all answers are good, little of it is left.
  return {
    quality,
    level: sigmoid(level - harder),
    oddsSpread: spread,
    spread: spread * quality * (1 - quality),
  };
}

function clamp(share: number): number {
  return Math.min(QUALITY_MAX, Math.max(QUALITY_MIN, share));
}

function sigmoid(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
