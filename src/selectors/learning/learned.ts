// Learns on the spot from scores of answers: labels are kept by prompt, and what they say of all models is worked out of
// them together, so that a decision costs one look at the request and one product a model.
import type { FindModel } from "../expense.ts";
import type { Prediction } from "../predictor.ts";
import { readDesign, readTopics } from "../row.ts";
import { TOPICS } from "../topics.ts";
import { bounded, dot, measureUnder } from "./algebra.ts";
import { Evidence, type Evident } from "./evidence.ts";
import { type Fitted, type Posterior, packFitted, type TaughtView, unpackFitted } from "./fitted.ts";
import { fitPosterior } from "./posterior.ts";
import { findWeight, OWN_MAX } from "./tradeoff.ts";

/** All models' qualities together are moved no further than this. */
const COMMON_MAX = 0.2;
export const SHIFT_MAX = OWN_MAX + COMMON_MAX;

export interface Shift {
  /** The amount that is added to the predicted quality of this request. */
  readonly quality: number;
  /** The amount that is added to the overall level. */
  readonly lift: number;
  /** The standard deviation of `quality`. */
  readonly spread: number;
  /** 1 where no score of the model is known, towards 0 the more there are. */
  readonly doubt: number;
}

export interface FitInput {
  /** The moment as of which lessons are weighed, Unix ms. */
  readonly asOfMs: number;
  readonly findModel: FindModel;
}

/** A topic of a request and the labelled prompts of it. */
export interface LeanedOn {
  readonly topic: string;
  /** 0…1. */
  readonly share: number;
  readonly prompts: number;
}
const TOPIC_SHARE_MIN = 0.05;
const TOPICS_SHOWN = 3;

const NOTHING: Shift = { quality: 0, lift: 0, spread: 0, doubt: 1 };
const LENGTHS_START = 8;
/** Answers before the last so many are forgotten. */
const ANSWERS_MAX = 500;
/** One answer's length counts as no more than e² times what was predicted. */
const LENGTH_MAX = 2;

/** Answers whose length is known, and sums of the logarithms of how much longer they were than predicted, and of their squares. */
interface Lengths {
  answers: number;
  times: number;
  squares: number;
}
/** The standard deviation of such logarithms within a model, on public rows. */
const LENGTH_SPREAD = 0.8;

export class Learned {
  #evidence = new Evidence();
  #fitted: Fitted = { posterior: null, views: [] };
  #isStale = false;
  readonly #lengths = new Map<string, Lengths>();
  #seen: ReturnType<typeof lookAt> | null = null;

  /** Keeps a lesson about the request of this row; `fit` makes it count. */
  put(row: Float32Array, lesson: Evident): void {
    if (this.#evidence.put(row, lesson)) this.#isStale = true;
  }

  /** True if there are lessons that don't count yet. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Works out what the labels say, all at once, as of a moment (Unix ms). The same labels in any order say the same. */
  fit({ asOfMs = 0, findModel = () => null }: Partial<FitInput> = {}): void {
    const slices = this.#fitting({ asOfMs, findModel });
    while (slices.next().done !== true);
  }

  /** The same in slices of a millisecond or less, with `pause` after each; decisions go by the last fit meanwhile. */
  async fitSlowly(input: FitInput, pause: () => Promise<void>): Promise<void> {
    for (const _ of this.#fitting(input)) await pause();
  }

  *#fitting({ asOfMs, findModel }: FitInput): Generator<void> {
    this.#isStale = false;
    const { prompts, views } = yield* this.#evidence.sumUp(asOfMs);
    this.#take({ posterior: yield* fitPosterior(prompts, findModel), views });
  }

  #take(fitted: Fitted): void {
    this.#fitted = fitted;
    this.#seen = null;
  }

  /** The last fit, for `unpack`. */
  pack(): object {
    return packFitted(this.#fitted);
  }

  /** Goes by a fit that was packed, until the next one; false: it isn't understood. */
  unpack(packed: unknown): boolean {
    const fitted = unpackFitted(packed);
    if (fitted !== null) this.#take(fitted);
    return fitted !== null;
  }

  /** The lessons that were left out since this was asked last, since there were too many prompts. */
  takeDropped(): readonly Evident[] {
    return this.#evidence.takeDropped();
  }

  /** Folds in how long an answer was, in tokens, beside how long it was expected to be. */
  foldLength(asked: Pick<Prediction, "outputTokens">, model: string, tokens: number): void {
    if (!(tokens > 0)) return;
    const lengths = this.#lengths.get(model) ?? { answers: 0, times: 0, squares: 0 };
    this.#lengths.set(model, lengths);
    const left = lengths.answers < ANSWERS_MAX ? 1 : 1 - 1 / ANSWERS_MAX;
    lengths.answers = left * lengths.answers + 1;
    const times = bounded(Math.log(tokens / Math.max(1, asked.outputTokens)), LENGTH_MAX);
    lengths.times = left * lengths.times + times;
    lengths.squares = left * lengths.squares + times * times;
  }

  /** The ratio of the card's answers' length to the predicted one. */
  lengthOf(model: string): number {
    const lengths = this.#lengths.get(model);
    return lengths === undefined ? 1 : Math.exp(lengths.times / (lengths.answers + LENGTHS_START));
  }

  /** The standard deviation of the logarithm of an answer's length about the expected one. */
  lengthSpreadOf(model: string): number {
    const { answers, times, squares } = this.#lengths.get(model) ?? { answers: 0, times: 0, squares: 0 };
    const apart = answers === 0 ? 0 : Math.max(0, squares - times ** 2 / answers);
    return Math.sqrt((apart + LENGTHS_START * LENGTH_SPREAD ** 2) / (answers + LENGTHS_START));
  }

  /** The topics that a request is likely of, the likeliest first, and the labelled prompts of each. */
  leanedOn({ row }: Pick<Prediction, "row">): readonly LeanedOn[] {
    const { posterior } = this.#fitted;
    if (posterior === null) return [];
    const likely: LeanedOn[] = [];
    for (const [at, share] of readTopics(row).entries())
      if (share >= TOPIC_SHARE_MIN)
        likely.push({ topic: TOPICS[at] ?? "", share, prompts: posterior.topics[at] ?? 0 });
    return likely.sort((a, b) => b.share - a.share).slice(0, TOPICS_SHOWN);
  }

  /** The difference of the card's quality from the prediction, for a request like this one. */
  shiftOf(model: string, { row }: Pick<Prediction, "row">): Shift {
    const fit = this.#fitted.posterior?.fits.get(model);
    if (fit === undefined) return NOTHING;
    const { phi, variance, common } = this.#look(row);
    return {
      quality: common + bounded(fit.overall + dot(fit.weights, phi), OWN_MAX),
      lift: bounded(fit.lift, OWN_MAX),
      spread: Math.sqrt(variance * fit.noise),
      doubt: fit.doubt,
    };
  }

  /**
   * The share of the labelled prompts that were as unlike the others as this request is, or more, 0…1: by how much the
   * labels leave open about it, and by how surely it is of one topic. Null without labels.
   */
  likenessOf({ row }: Pick<Prediction, "row">): number | null {
    const { posterior } = this.#fitted;
    if (posterior === null) return null;
    const { variances, tops } = posterior;
    const { variance, top } = this.#look(row);
    return Math.min(
      1 - findRank(variances, variance),
      (findRank(tops, top) * tops.length + 1) / (tops.length + 1),
    );
  }

  /** The price of quality at which a share of the champion's is surely kept, as `findWeight` gives it. */
  weightFor(what: "money" | "time", share: number): number | null {
    return findWeight(this.#fitted.posterior?.[what] ?? [], share);
  }

  /** The lead that another model needs over the champion; null: no lead pays off on the labels. */
  get margin(): number | null {
    const { posterior } = this.#fitted;
    return posterior === null ? 0 : posterior.margin;
  }

  /** The mean cost of the champion's answers to labelled prompts; 0 without any. */
  get usualCostUsd(): number {
    return this.#fitted.posterior?.usualCostUsd ?? 0;
  }

  /** One look for all models: a decision asks for hundreds. */
  #look(row: Float32Array) {
    if (this.#seen?.row !== row) this.#seen = lookAt(row, this.#fitted.posterior);
    return this.#seen;
  }

  get promptsKnown(): number {
    return this.#evidence.size;
  }

  views(): readonly TaughtView[] {
    const { views } = this.#fitted;
    const taught = new Set(views.map(({ model }) => model));
    const others = [...this.#lengths.keys()].filter((model) => !taught.has(model));
    return [...views, ...others.map((model) => ({ model, labels: 0, categories: {} }))];
  }

  /** Takes what another has learned of scores in place of its own; lengths are measured here, and stay. */
  become(other: Learned): void {
    this.#evidence = other.#evidence;
    this.#isStale = other.#isStale;
    this.#take(other.#fitted);
  }

  /** Forgets one card; `fit` makes it count. */
  reset(model: string): void {
    this.#evidence.forget(model);
    this.#lengths.delete(model);
    this.#isStale = true;
  }
}

/** A request beside the labelled prompts. */
function lookAt(row: Float32Array, posterior: Posterior | null) {
  const design = readDesign(row);
  return {
    ...design,
    row,
    /** In units of a fit's noise. */
    variance: posterior === null ? 0 : measureUnder(posterior.covariance, design.phi),
    /** The answers of all labelled models are likely to be better by this than expected. */
    common: posterior === null ? 0 : bounded(dot(posterior.common, design.phi), COMMON_MAX),
  };
}

/** The share of ascending values below this one; of those equal to it half count. */
function findRank(ascending: Float32Array, value: number): number {
  return (countBelow(ascending, value, false) + countBelow(ascending, value, true)) / 2 / ascending.length;
}

function countBelow(ascending: Float32Array, value: number, withEqual: boolean): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = ascending[middle] ?? 0;
    if (one < value || (withEqual && one === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
