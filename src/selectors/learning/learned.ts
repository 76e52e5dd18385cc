// Learns on the spot from scores of answers: labels are kept by prompt, and what they say of all models is worked out of
// them together, so that a decision costs one look at the request and one product a model.
import { SKILLS, type Skill } from "../../core/skill.ts";
import type { Prediction } from "../predictor.ts";
import { dot, measureUnder } from "./algebra.ts";
import { type Design, readDesign } from "./design.ts";
import { fitPosterior, type Mark, type Posterior } from "./posterior.ts";

/** No model's quality is moved further against the others' than this, and all of them together no further than that. */
const OWN_MAX = 0.35;
const COMMON_MAX = 0.2;
export const SHIFT_MAX = OWN_MAX + COMMON_MAX;
/** Prompts beyond these are left out, at random: more say little more, and working them out takes longer. */
const PROMPTS_MAX = 4000;
/** The share of the doubt about a model's difference from the champion that it must exceed. */
const CAUTION = 0.1;

export interface Shift {
  /** The amount that is added to the predicted quality of this request. */
  readonly quality: number;
  /** The part of it that holds for any request. */
  readonly overall: number;
  /** A share of the standard deviation of `quality`, by which another must be better than the champion. */
  readonly caution: number;
  /** The standard deviation of `quality`. */
  readonly spread: number;
  /** 1 where no score of the model is known, towards 0 the more there are. */
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

const NOTHING: Shift = { quality: 0, overall: 0, caution: 0, spread: 0, doubt: 1 };
const LENGTHS_START = 8;
/** Answers before the last so many are forgotten. */
const ANSWERS_MAX = 500;
/** One answer's length counts as no more than e² times what was predicted. */
const LENGTH_MAX = 2;

/** One card's labels, counted for people. */
interface Counts {
  labels: number;
  /** By SKILLS: labels and the sum of their scores, each label shared out by its mixture. */
  readonly seen: Float64Array;
  readonly scored: Float64Array;
}

/** Answers whose length is known, and the sum of the logarithms of how much longer they were than predicted. */
interface Lengths {
  answers: number;
  times: number;
}

interface Prompt extends Design {
  readonly marks: Map<string, Mark>;
}

/** A request beside the labelled prompts. */
interface Seen extends Design {
  readonly row: Float32Array;
  /** In units of a fit's noise. */
  readonly variance: number;
  /** The answers of all labelled models are likely to be better by this than expected. */
  readonly common: number;
}

export class Learned {
  #prompts = new Map<string, Prompt>();
  #counts = new Map<string, Counts>();
  #posterior: Posterior | null = null;
  #isStale = false;
  readonly #lengths = new Map<string, Lengths>();
  #seen: Seen | null = null;

  /** Keeps a score; `fit` makes it count. */
  add(prediction: Pick<Prediction, "row" | "categories">, { model, score, weight, expected }: Label): void {
    if (!(weight > 0) || !(score >= 0 && score <= 1)) return;
    const { row, categories } = prediction;
    const digest = digestRow(row);
    const prompt = this.#prompts.get(digest) ?? { ...readDesign(row), marks: new Map<string, Mark>() };
    this.#prompts.set(digest, prompt);
    const mark = prompt.marks.get(model) ?? { weight: 0, residual: 0, expected: 0 };
    prompt.marks.set(model, mark);
    mark.weight += weight;
    mark.residual += weight * (score - expected);
    mark.expected += weight * expected;
    const counts = this.#counts.get(model) ?? startCounts();
    this.#counts.set(model, counts);
    counts.labels++;
    for (const [at, skill] of SKILLS.entries()) {
      counts.seen[at] = (counts.seen[at] ?? 0) + categories[skill];
      counts.scored[at] = (counts.scored[at] ?? 0) + categories[skill] * score;
    }
    this.#isStale = true;
    if (this.#prompts.size > 2 * PROMPTS_MAX) this.#thin();
  }

  /** Works out what the labels say, all at once. The same labels in any order say the same. */
  fit(): void {
    const slices = this.#fitting();
    while (slices.next().done !== true);
  }

  /** The same in slices of a few milliseconds, with a pause after each; decisions go by the last fit meanwhile. */
  async fitSlowly(pause: () => Promise<void>): Promise<void> {
    for (const _ of this.#fitting()) await pause();
  }

  *#fitting(): Generator<void> {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#thin();
    const digests = [...this.#prompts.keys()].sort();
    const posterior = yield* fitPosterior(digests.flatMap((digest) => this.#prompts.get(digest) ?? []));
    this.#posterior = posterior;
    this.#seen = null;
  }

  /** Keeps those of the lowest digests: a choice at random that every node makes alike, in every kind of request. */
  #thin(): void {
    if (this.#prompts.size <= PROMPTS_MAX) return;
    const kept = [...this.#prompts].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, PROMPTS_MAX);
    this.#prompts = new Map(kept);
  }

  /** Folds in how long an answer was, in tokens, beside how long it was expected to be. */
  foldLength(asked: Pick<Prediction, "outputTokens">, model: string, tokens: number): void {
    if (!(tokens > 0)) return;
    const lengths = this.#lengths.get(model) ?? { answers: 0, times: 0 };
    this.#lengths.set(model, lengths);
    const left = lengths.answers < ANSWERS_MAX ? 1 : 1 - 1 / ANSWERS_MAX;
    lengths.answers = left * lengths.answers + 1;
    const times = bounded(Math.log(tokens / Math.max(1, asked.outputTokens)), LENGTH_MAX);
    lengths.times = left * lengths.times + times;
  }

  /** The ratio of the card's answers' length to the predicted one. */
  lengthOf(model: string): number {
    const lengths = this.#lengths.get(model);
    return lengths === undefined ? 1 : Math.exp(lengths.times / (lengths.answers + LENGTHS_START));
  }

  /** The difference of the card's quality from the prediction, for a request like this one. */
  shiftOf(model: string, { row }: Pick<Prediction, "row">): Shift {
    const fit = this.#posterior?.fits.get(model);
    if (fit === undefined) return NOTHING;
    const { phi, variance, common } = this.#look(row);
    const spread = Math.sqrt(variance * fit.noise);
    return {
      quality: common + bounded(fit.overall + dot(fit.weights, phi), OWN_MAX),
      overall: bounded(fit.overall, OWN_MAX),
      caution: CAUTION * spread,
      spread,
      doubt: fit.doubt,
    };
  }

  /**
   * The share of the labelled prompts that were as unlike the others as this request is, or more, 0…1: by how much the
   * labels leave open about it, and by how surely it is of one topic. Null without labels.
   */
  likenessOf({ row }: Pick<Prediction, "row">): number | null {
    if (this.#posterior === null) return null;
    const { variances, tops } = this.#posterior;
    const { variance, top } = this.#look(row);
    return Math.min(
      1 - rankIn(variances, variance),
      (rankIn(tops, top) * tops.length + 1) / (tops.length + 1),
    );
  }

  /** One look for all models: a decision asks for hundreds. */
  #look(row: Float32Array): Seen {
    if (this.#seen?.row === row) return this.#seen;
    const design = readDesign(row);
    const posterior = this.#posterior;
    const variance = posterior === null ? 0 : measureUnder(posterior.covariance, design.phi);
    const common = posterior === null ? 0 : bounded(dot(posterior.common, design.phi), COMMON_MAX);
    this.#seen = { ...design, row, variance, common };
    return this.#seen;
  }

  get promptsKnown(): number {
    return this.#prompts.size;
  }

  /** The ids of the cards of which anything is known. */
  models(): Iterable<string> {
    return new Set([...this.#counts.keys(), ...this.#lengths.keys()]);
  }

  views(): readonly TaughtView[] {
    return [...this.models()].map((model) => {
      const { labels, seen, scored } = this.#counts.get(model) ?? startCounts();
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
    this.#prompts = other.#prompts;
    this.#counts = other.#counts;
    this.#posterior = other.#posterior;
    this.#isStale = other.#isStale;
    this.#seen = null;
  }

  /** Forgets one card; `fit` makes it count. */
  reset(model: string): void {
    for (const [digest, { marks }] of this.#prompts) {
      marks.delete(model);
      if (marks.size === 0) this.#prompts.delete(digest);
    }
    this.#counts.delete(model);
    this.#lengths.delete(model);
    this.#isStale = true;
  }
}

/** Equal requests have equal rows. */
function digestRow(row: Float32Array): string {
  return Bun.hash.wyhash(new Uint8Array(row.buffer, row.byteOffset, row.byteLength)).toString(36);
}

function startCounts(): Counts {
  return { labels: 0, seen: new Float64Array(SKILLS.length), scored: new Float64Array(SKILLS.length) };
}

/** The share of ascending values below this one; of those equal to it half count. */
function rankIn(ascending: Float64Array, value: number): number {
  return (countBelow(ascending, value, false) + countBelow(ascending, value, true)) / 2 / ascending.length;
}

function countBelow(ascending: Float64Array, value: number, withEqual: boolean): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = ascending[middle] ?? 0;
    if (one < value || (withEqual && one === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bounded(shift: number, most: number): number {
  return Math.max(-most, Math.min(most, shift));
}
