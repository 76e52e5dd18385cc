// The lessons about one card, in memory: what scores said of its quality, and how long its answers are.
import { asNumber, asObject } from "../../core/json.ts";
import { SKILLS } from "../../core/skill.ts";
import { unpacked } from "./algebra.ts";
import { NOTHING_USUAL, type Usual } from "./familiar.ts";

/** One card's: weights for the prediction's row, and their covariance. */
export interface Taught {
  mean: Float64Array;
  covariance: Float64Array;
  /** The covariance's diagonal: all that a decision looks at. */
  variances: Float64Array;
  labels: number;
  /** The sum of weights, and of how far the scores were from what was expected. */
  weight: number;
  surprise: number;
  readonly usual: Usual;
  /** Answers whose length is known, and the sum of the logarithms of how much longer they were than predicted. */
  answers: number;
  lengths: number;
  /** By SKILLS: labels and the sum of their scores, each label shared out by its mixture. */
  readonly seen: Float64Array;
  readonly scored: Float64Array;
}

/** The state that scores begin from: 180 KB, which cards without any share. */
export function begun(width: number) {
  const covariance = new Float64Array(width * width);
  for (let at = 0; at < width; at++) covariance[at * width + at] = 1;
  return { mean: new Float64Array(width), covariance, variances: new Float64Array(width).fill(1) };
}
const shared = new Map<number, ReturnType<typeof begun>>();

export function untaught(width: number): Taught {
  const start = shared.get(width) ?? begun(width);
  shared.set(width, start);
  const perSkill = () => new Float64Array(SKILLS.length);
  return {
    ...start,
    labels: 0,
    weight: 0,
    surprise: 0,
    usual: { ...NOTHING_USUAL },
    answers: 0,
    lengths: 0,
    seen: perSkill(),
    scored: perSkill(),
  };
}

export function readTaught(card: Readonly<Record<string, unknown>>, width: number): Taught | null {
  const mean = unpacked(card.mean, width);
  const triangle = unpacked(card.covariance, (width * (width + 1)) / 2);
  if (mean === null || triangle === null) return null;
  const taught = { ...untaught(width), ...begun(width) };
  taught.mean.set(mean);
  let place = 0;
  for (let at = 0; at < width; at++) {
    for (let other = at; other < width; other++, place++) {
      const value = triangle[place] ?? 0;
      taught.covariance[at * width + other] = value;
      taught.covariance[other * width + at] = value;
    }
  }
  for (let at = 0; at < width; at++)
    taught.variances[at] = Math.max(0, taught.covariance[at * width + at] ?? 0);
  taught.labels = asNumber(card.labels) ?? 0;
  taught.weight = asNumber(card.weight) ?? 0;
  taught.surprise = asNumber(card.surprise) ?? 0;
  const usual = asObject(card.usual);
  taught.usual.strange = asNumber(usual.strange) ?? 1;
  taught.usual.labels = asNumber(usual.labels) ?? 0;
  taught.usual.sizes = asNumber(usual.sizes) ?? 0;
  taught.usual.sizeSquares = asNumber(usual.sizeSquares) ?? 0;
  taught.answers = asNumber(card.answers) ?? 0;
  taught.lengths = asNumber(card.lengths) ?? 0;
  const perSkill = (into: Float64Array, values: unknown) => {
    if (Array.isArray(values)) for (const at of into.keys()) into[at] = asNumber(values[at]) ?? 0;
  };
  perSkill(taught.seen, card.seen);
  perSkill(taught.scored, card.scored);
  return taught;
}

/** As if weights didn't hang together: a little too much, and fast for hundreds of cards. */
export function measureDoubt({ variances }: Taught, row: Float32Array): number {
  let left = 0;
  let all = 0;
  for (let at = 0; at < row.length; at++) {
    const square = (row[at] ?? 0) ** 2;
    left += (variances[at] ?? 0) * square;
    all += square;
  }
  return all === 0 ? 1 : Math.min(1, Math.sqrt(left / all));
}
