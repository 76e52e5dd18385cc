// What is learned on the spot: per card, how its answers' scores differ from the prediction, by kind of request. A
// Bayesian linear model, so that a few labels move little and no number of them moves more than a bound.
import { isObject, numberOf, objectOf, stringOf } from "../core/json.ts";
import { SKILLS, type Skill } from "../core/skill.ts";
import { dot, packed, product, squared, unpacked, upper } from "./algebra.ts";
import { countUsual, familiarity, NOTHING_USUAL, type Usual } from "./familiar.ts";
import type { Prediction } from "./predictor.ts";

/** Quality is never moved further than this. */
export const SHIFT_MAX = 0.35;
/** How much one score says: the variance of scores that even a perfect prediction leaves. */
const NOISE = 0.2;
/** One card's: weights for the prediction's row, and their covariance. */
interface Taught {
  readonly mean: Float64Array;
  readonly covariance: Float64Array;
  /** The covariance's diagonal: all that a decision looks at. */
  readonly variances: Float64Array;
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

export interface Shift {
  /** To be added to the predicted quality, for this request. */
  readonly quality: number;
  /** The part of it that holds for any request. */
  readonly overall: number;
  /** The standard deviation of `quality`. */
  readonly spread: number;
  /** 1 where nothing is known of requests like this one, towards 0 the more there is. */
  readonly doubt: number;
}

/** For people: per card and category, how many labels there were and their mean score. */
export interface TaughtView {
  readonly model: string;
  readonly labels: number;
  readonly categories: Readonly<Partial<Record<Skill, { readonly labels: number; readonly score: number }>>>;
}

export interface Label {
  /** The card's id. */
  readonly model: string;
  /** 0…1. */
  readonly score: number;
  /** How much the score says, 0…1: less for a signal than for a judgment. */
  readonly weight: number;
  /** What the quality was predicted to be without anything learned. */
  readonly expected: number;
}

const NOTHING: Shift = { quality: 0, overall: 0, spread: 0, doubt: 1 };
/** The overall shift starts as if so many answers had been as expected. */
const OVERALL_START = 20;
/** Kinds of requests are told apart as if half of what is learned of them came with so many scores. */
const KINDS_START = 10;
/** How far what was learned of a kind of request is followed. */
const TRUST_MAX = 0.7;
const LENGTHS_START = 8;
/** What answers before the last so many were like is forgotten. */
const ANSWERS_MAX = 500;
/** One answer's length counts as no more than e² times what was predicted. */
const LENGTH_MAX = 2;

export class Learned {
  readonly #cards = new Map<string, Taught>();

  /** Ids of the cards of which anything is known. */
  models(): Iterable<string> {
    return this.#cards.keys();
  }

  /** Folds a score in. Deterministic: the same labels in the same order give the same state. */
  fold(prediction: Pick<Prediction, "row" | "categories">, { model, score, weight, expected }: Label): void {
    if (!(weight > 0) || !(score >= 0 && score <= 1)) return;
    const { row, categories } = prediction;
    const taught = this.#cards.get(model) ?? untaught(row.length);
    this.#cards.set(model, taught);
    const { mean, covariance, seen, scored } = taught;
    const reach = product(covariance, row);
    const spread = NOISE / Math.min(1, weight) + dot(reach, row);
    const surprise = score - expected - dot(mean, row);
    const width = row.length;
    for (let at = 0; at < width; at++) {
      const gain = (reach[at] ?? 0) / spread;
      mean[at] = (mean[at] ?? 0) + gain * surprise;
      for (let other = 0; other < width; other++) {
        const place = at * width + other;
        covariance[place] = (covariance[place] ?? 0) - gain * (reach[other] ?? 0);
      }
    }
    for (let at = 0; at < width; at++) taught.variances[at] = Math.max(0, covariance[at * width + at] ?? 0);
    countUsual(taught.usual, taught.variances, row);
    taught.labels++;
    taught.weight += weight;
    taught.surprise += weight * (score - expected);
    for (const [at, skill] of SKILLS.entries()) {
      seen[at] = (seen[at] ?? 0) + categories[skill];
      scored[at] = (scored[at] ?? 0) + categories[skill] * score;
    }
  }

  /** Folds in how long an answer was, in tokens, beside how long it was expected to be. */
  foldLength(asked: Pick<Prediction, "row" | "outputTokens">, model: string, tokens: number): void {
    if (!(tokens > 0)) return;
    const taught = this.#cards.get(model) ?? untaught(asked.row.length);
    this.#cards.set(model, taught);
    const left = taught.answers < ANSWERS_MAX ? 1 : 1 - 1 / ANSWERS_MAX;
    taught.answers = left * taught.answers + 1;
    const times = bounded(Math.log(tokens / Math.max(1, asked.outputTokens)), LENGTH_MAX);
    taught.lengths = left * taught.lengths + times;
  }

  /** How many times longer the card's answers are than predicted. */
  lengthOf(model: string): number {
    const taught = this.#cards.get(model);
    return taught === undefined ? 1 : Math.exp(taught.lengths / (taught.answers + LENGTHS_START));
  }

  /** How the card's quality differs from the prediction, for a request like this one. */
  shiftOf(model: string, { row }: Prediction): Shift {
    const taught = this.#cards.get(model);
    if (taught === undefined) return NOTHING;
    const overall = taught.surprise / (taught.weight + OVERALL_START);
    const doubt = doubtOf(taught, row);
    const enough = taught.weight / (taught.weight + KINDS_START);
    const trust = TRUST_MAX * enough * familiarity(taught.usual, taught.variances, row);
    return {
      quality: bounded(overall + trust * (dot(taught.mean, row) - overall)),
      spread: Math.sqrt(squared(row)) * doubt,
      doubt,
      overall: bounded(overall),
    };
  }

  views(): readonly TaughtView[] {
    return [...this.#cards].map(([model, { labels, seen, scored }]) => {
      const categories: Partial<Record<Skill, { labels: number; score: number }>> = {};
      for (const [at, skill] of SKILLS.entries()) {
        const count = seen[at] ?? 0;
        if (count < 0.5) continue;
        categories[skill] = { labels: Math.round(count * 10) / 10, score: round((scored[at] ?? 0) / count) };
      }
      return { model, labels, categories };
    });
  }

  /** Takes what another has learned of scores in place of its own; lengths are measured here, and stay. */
  become(other: Learned): void {
    const measured = [...this.#cards].filter(([, { answers }]) => answers > 0);
    this.#cards.clear();
    for (const [model, taught] of other.#cards) this.#cards.set(model, taught);
    for (const [model, { answers, lengths, mean }] of measured) {
      const taught = this.#cards.get(model) ?? untaught(mean.length);
      this.#cards.set(model, Object.assign(taught, { answers, lengths }));
    }
  }

  /** Forgets one card, or all. */
  reset(model?: string): void {
    if (model === undefined) this.#cards.clear();
    else this.#cards.delete(model);
  }

  /** As JSON, to be kept. */
  exported(): LearnedFile {
    const cards = [...this.#cards].map(
      ([model, { mean, covariance, labels, weight, surprise, usual, answers, lengths, seen, scored }]) => ({
        model,
        labels,
        weight,
        surprise,
        usual,
        answers,
        lengths,
        mean: packed(mean),
        covariance: packed(upper(covariance, mean.length)),
        seen: [...seen],
        scored: [...scored],
      }),
    );
    return { version: VERSION, cards };
  }

  /** What `exported` gave. Cards learned with other parameters are left out: their rows meant something else. */
  static imported(file: unknown, width: number): Learned {
    const learned = new Learned();
    if (!isObject(file) || file.version !== VERSION || !Array.isArray(file.cards)) return learned;
    for (const card of file.cards) {
      const model = isObject(card) ? stringOf(card.model) : undefined;
      const taught = isObject(card) ? taughtOf(card, width) : null;
      if (model !== undefined && taught !== null) learned.#cards.set(model, taught);
    }
    return learned;
  }
}

const VERSION = 1;

export interface LearnedFile {
  readonly version: number;
  readonly cards: readonly {
    readonly model: string;
    readonly labels: number;
    readonly weight: number;
    readonly surprise: number;
    readonly usual: Readonly<Usual>;
    readonly answers: number;
    readonly lengths: number;
    /** Float32, base64. */
    readonly mean: string;
    /** Its upper triangle, row by row. */
    readonly covariance: string;
    readonly seen: readonly number[];
    readonly scored: readonly number[];
  }[];
}

/** As if weights didn't hang together: a little too much, and fast for hundreds of cards. */
function doubtOf({ variances }: Taught, row: Float32Array): number {
  let left = 0;
  let all = 0;
  for (let at = 0; at < row.length; at++) {
    const square = (row[at] ?? 0) ** 2;
    left += (variances[at] ?? 0) * square;
    all += square;
  }
  return all === 0 ? 1 : Math.min(1, Math.sqrt(left / all));
}

function bounded(shift: number, most = SHIFT_MAX): number {
  return Math.max(-most, Math.min(most, shift));
}

function untaught(width: number): Taught {
  const covariance = new Float64Array(width * width);
  for (let at = 0; at < width; at++) covariance[at * width + at] = 1;
  const perSkill = () => new Float64Array(SKILLS.length);
  return {
    mean: new Float64Array(width),
    covariance,
    variances: new Float64Array(width).fill(1),
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

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function taughtOf(card: Readonly<Record<string, unknown>>, width: number): Taught | null {
  const mean = unpacked(card.mean, width);
  const triangle = unpacked(card.covariance, (width * (width + 1)) / 2);
  if (mean === null || triangle === null) return null;
  const taught = untaught(width);
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
  taught.labels = numberOf(card.labels) ?? 0;
  taught.weight = numberOf(card.weight) ?? 0;
  taught.surprise = numberOf(card.surprise) ?? 0;
  const usual = objectOf(card.usual);
  taught.usual.strange = numberOf(usual.strange) ?? 1;
  taught.usual.labels = numberOf(usual.labels) ?? 0;
  taught.usual.sizes = numberOf(usual.sizes) ?? 0;
  taught.usual.sizeSquares = numberOf(usual.sizeSquares) ?? 0;
  taught.answers = numberOf(card.answers) ?? 0;
  taught.lengths = numberOf(card.lengths) ?? 0;
  const perSkill = (into: Float64Array, values: unknown) => {
    if (Array.isArray(values)) for (const at of into.keys()) into[at] = numberOf(values[at]) ?? 0;
  };
  perSkill(taught.seen, card.seen);
  perSkill(taught.scored, card.scored);
  return taught;
}
