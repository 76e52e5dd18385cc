// Learns on the spot: per card, how its answers' scores differ from the prediction, by kind of request. A
// Bayesian linear model, so that a few labels move little and no number of them moves more than a bound.
import { asString, isObject } from "../../core/json.ts";
import { SKILLS, type Skill } from "../../core/skill.ts";
import type { Prediction } from "../predictor.ts";
import { dot, packed, product, squared, upper } from "./algebra.ts";
import { countUsual, familiarity, type Usual } from "./familiar.ts";
import { begun, measureDoubt, readTaught, type Taught, untaught } from "./taught.ts";

/** Quality is never moved further than this. */
export const SHIFT_MAX = 0.35;
/** The weight of one score: the variance of scores that even a perfect prediction leaves. */
const NOISE = 0.2;
export interface Shift {
  /** The amount that is added to the predicted quality of this request. */
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
  /** The weight of the score, 0…1: less for a signal than for a judgment. */
  readonly weight: number;
  /** The quality that was predicted without anything learned. */
  readonly expected: number;
}

const NOTHING: Shift = { quality: 0, overall: 0, spread: 0, doubt: 1 };
/** The overall shift starts as if so many answers had been as expected. */
const OVERALL_START = 20;
/** Kinds of requests are told apart as if half of what is learned of them came with so many scores. */
const KINDS_START = 10;
/** The share of what was learned of a kind of request that is followed. */
const TRUST_MAX = 0.7;
const LENGTHS_START = 8;
/** Answers before the last so many are forgotten. */
const ANSWERS_MAX = 500;
/** One answer's length counts as no more than e² times what was predicted. */
const LENGTH_MAX = 2;

export class Learned {
  readonly #cards = new Map<string, Taught>();
  #last: { readonly row: Float32Array; readonly shift: Shift } | null = null;

  has(model: string): boolean {
    return this.#cards.has(model);
  }

  /** The number of cards of which anything is known. */
  get size(): number {
    return this.#cards.size;
  }

  /** Their ids. */
  models(): Iterable<string> {
    return this.#cards.keys();
  }

  /** Folds a score in. Deterministic: the same labels in the same order give the same state. */
  fold(prediction: Pick<Prediction, "row" | "categories">, { model, score, weight, expected }: Label): void {
    if (!(weight > 0) || !(score >= 0 && score <= 1)) return;
    const { row, categories } = prediction;
    const taught = this.#cards.get(model) ?? untaught(row.length);
    this.#cards.set(model, taught);
    if (taught.labels === 0) Object.assign(taught, begun(row.length));
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

  /** The ratio of the card's answers' length to the predicted one. */
  lengthOf(model: string): number {
    const taught = this.#cards.get(model);
    return taught === undefined ? 1 : Math.exp(taught.lengths / (taught.answers + LENGTHS_START));
  }

  /** The difference of the card's quality from the prediction, for a request like this one. */
  shiftOf(model: string, { row }: Prediction): Shift {
    const taught = this.#cards.get(model);
    if (taught === undefined) return NOTHING;
    if (taught.labels === 0) return this.#unscored(row);
    const overall = taught.surprise / (taught.weight + OVERALL_START);
    const doubt = measureDoubt(taught, row);
    const enough = taught.weight / (taught.weight + KINDS_START);
    const trust = TRUST_MAX * enough * familiarity(taught.usual, taught.variances, row);
    return {
      quality: bounded(overall + trust * (dot(taught.mean, row) - overall)),
      spread: Math.sqrt(squared(row)) * doubt,
      doubt,
      overall: bounded(overall),
    };
  }

  /** The same for all cards of which only lengths are known. */
  #unscored(row: Float32Array): Shift {
    if (this.#last?.row !== row)
      this.#last = { row, shift: { quality: 0, overall: 0, spread: Math.sqrt(squared(row)), doubt: 1 } };
    return this.#last.shift;
  }

  views(): readonly TaughtView[] {
    return [...this.#cards].map(([model, { labels, seen, scored }]) => {
      const categories: Partial<Record<Skill, { labels: number; score: number }>> = {};
      for (const [at, skill] of SKILLS.entries()) {
        const count = seen[at] ?? 0;
        if (count < 0.5) continue;
        const score = Math.round(((scored[at] ?? 0) / count) * 1000) / 1000;
        categories[skill] = { labels: Math.round(count * 10) / 10, score };
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
    for (const id of model === undefined ? [...this.#cards.keys()] : [model]) this.#cards.delete(id);
  }

  /** Returns the state as JSON, as it is stored. */
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

  /** Takes in the result of `exported`. Cards learned with other parameters are left out: their rows meant something else. */
  static imported(file: unknown, width: number): Learned {
    const learned = new Learned();
    if (!isObject(file) || file.version !== VERSION || !Array.isArray(file.cards)) return learned;
    for (const card of file.cards) {
      const model = isObject(card) ? asString(card.model) : undefined;
      const taught = isObject(card) ? readTaught(card, width) : null;
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

function bounded(shift: number, most = SHIFT_MAX): number {
  return Math.max(-most, Math.min(most, shift));
}
