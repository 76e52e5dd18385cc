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
  /** What of the uncertainty is the model's own: the rest is about the request, and the same for all. */
  readonly spread: number;
  /** The model's overall level at this difficulty, whatever the kind of request. */
  readonly level: number;
}

/** How much a unit of predicted difficulty takes from the log-odds. */
const DIFFICULTY_SLOPE = 0.7;
/** What a request of no kind that was ever seen adds to the uncertainty: by so much sets of one kind differ. */
const STRANGE_SPREAD = 0.2;
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
  const strange = strangeSpread(prediction);
  const own = known * known + learnt * learnt;
  const quality = clamp(expected.quality + shift.quality);
  return {
    quality,
    low: clamp(quality - Math.sqrt(own + strange * strange)),
    spread: Math.sqrt(own),
    level: clamp(expected.level + shift.overall),
  };
}

function strangeSpread({ support, sure }: Prediction): number {
  return STRANGE_SPREAD * (1 - support * sure);
}

/** What none of the profiles between two is above, and the spread and doubt that none is below; nothing learned. */
export function qualityBound(least: Profile, most: Profile, prediction: Prediction) {
  const low = shares(least, prediction);
  const high = shares(most, prediction);
  const bend = Math.min(low.quality * (1 - low.quality), high.quality * (1 - high.quality));
  const spread = low.oddsSpread * bend;
  const strange = strangeSpread(prediction);
  const whole = Math.sqrt(spread * spread + strange * strange);
  return {
    quality: clamp(high.quality) + ROUNDING,
    level: clamp(high.level) + ROUNDING,
    spread: Math.max(0, spread - ROUNDING),
    doubt: Math.max(0, Math.min(whole, low.quality - QUALITY_MIN) - ROUNDING),
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
