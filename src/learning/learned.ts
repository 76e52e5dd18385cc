// Learns online from scores of answers: labels are kept by prompt and fitted for all models together, so that a
// decision costs one look at the request and one dot product per model.
import type { ModelCard } from "../core/card.ts";
import { CardMap, type Places } from "../core/card-map.ts";
import type { FindModel } from "../selectors/expense.ts";
import { type Knowledge, LENGTH_SPREAD, NO_SHIFTS, type Shifts } from "../selectors/knowledge.ts";
import type { Prediction } from "../selectors/predictor.ts";
import { readDesign, readTopics } from "../selectors/row.ts";
import { TOPICS } from "../selectors/topics.ts";
import { clampMagnitude, dot, measureUnder } from "./algebra.ts";
import { Evidence, type Evident } from "./evidence.ts";
import { collectVoices, weighVoices } from "./feedback.ts";
import {
  type Fit,
  type Fitted,
  type Posterior,
  packFitted,
  type TaughtView,
  unpackFitted,
} from "./fitted.ts";
import { fitPosterior } from "./posterior.ts";
import { findSway, liftLevel, type Sway } from "./sway.ts";
import { findWeight, OWN_MAX } from "./tradeoff.ts";

/** The most by which the correction shared by all models changes a quality. */
const COMMON_MAX = 0.2;
export const SHIFT_MAX = OWN_MAX + COMMON_MAX;

interface FitInput {
  /** The time as of which lessons are weighed, Unix ms. */
  readonly asOfMs: number;
  readonly findModel: FindModel;
  /** The models among which the best overall is looked for, to tell whether one account decides it. */
  readonly choosable: readonly ModelCard[];
}

const TOPIC_SHARE_MIN = 0.05;
const TOPICS_SHOWN = 3;

interface Taught {
  /** Undefined without labels. */
  readonly fit: Fit | undefined;
  /** The correction by users' scores, and that of the overall level by these and by labels. */
  readonly lift: number;
  readonly level: number;
}

const LENGTHS_START = 8;
/** Beyond this many answers, older ones fade out exponentially. */
const ANSWERS_MAX = 500;
/** One answer's length counts as at most e² times the predicted one, and at least e⁻² times. */
const LENGTH_MAX = 2;

/** Answers of known length, and the sums of ln(actual / predicted length) and of its square. */
const NO_LENGTHS = { answers: 0, times: 0, squares: 0 };
type Lengths = typeof NO_LENGTHS;

export class Learned implements Knowledge {
  #evidence = new Evidence();
  #fitted: Fitted = { posterior: null, lifts: {}, views: [] };
  #isStale = false;
  #sway: Sway | null = null;
  readonly #lengths = new CardMap<Lengths>();
  #taught = new CardMap<Taught>();
  #seen: ReturnType<typeof describeRow> | null = null;

  /** Stores a lesson about the request of this row. It counts from the next `fit` on. */
  put(row: Float32Array, lesson: Evident): void {
    if (this.#evidence.put(row, lesson)) this.#isStale = true;
  }

  /** True if some lessons don't count yet. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Fits all labels at once, as of a moment (Unix ms). Their order doesn't matter. */
  fit({ asOfMs = 0, findModel = () => null, choosable = [] }: Partial<FitInput> = {}): void {
    const slices = this.#fitting({ asOfMs, findModel, choosable });
    while (slices.next().done !== true);
  }

  /** Like `fit`, in slices of a millisecond or less with `pause` after each. Decisions use the last fit meanwhile. */
  async fitSlowly(input: FitInput, pause: () => Promise<void>): Promise<void> {
    for (const _ of this.#fitting(input)) await pause();
  }

  *#fitting({ asOfMs, findModel, choosable }: FitInput): Generator<void> {
    this.#isStale = false;
    const { prompts, feedback, views } = yield* this.#evidence.sumUp(asOfMs);
    const posterior = yield* fitPosterior(prompts, findModel);
    const voices = yield* collectVoices(feedback, posterior);
    const lifts = yield* weighVoices(voices);
    this.#sway = yield* findSway(voices, lifts, posterior, choosable);
    this.#use({ posterior, lifts, views });
  }

  /** The account that alone decides which model is the best overall, as of the last fit. */
  get sway(): Sway | null {
    return this.#sway;
  }

  #use(fitted: Fitted): void {
    this.#fitted = fitted;
    this.#seen = null;
    this.#taught = new CardMap();
    const { posterior, lifts } = fitted;
    for (const model of [...(posterior?.fits.keys() ?? []), ...Object.keys(lifts)]) {
      const lift = clampMagnitude(lifts[model] ?? 0, OWN_MAX);
      const fit = posterior?.fits.get(model);
      this.#taught.set(model, { fit, lift, level: liftLevel(posterior, lifts, model) });
    }
  }

  /** Returns the last fit, for `unpack`. */
  pack(): object {
    return packFitted(this.#fitted);
  }

  /** Uses a packed fit until the next one. False if it can't be read. */
  unpack(packed: unknown): boolean {
    const fitted = unpackFitted(packed);
    if (fitted !== null) this.#use(fitted);
    return fitted !== null;
  }

  /** Returns the lessons dropped since the last call because there were too many prompts. */
  takeDropped(): readonly Evident[] {
    return this.#evidence.takeDropped();
  }

  /** Learns from an answer's length in tokens, compared with the expected one. */
  foldLength(asked: Pick<Prediction, "outputTokens">, model: string, tokens: number): void {
    if (!(tokens > 0)) return;
    const lengths = this.#lengths.get(model) ?? { ...NO_LENGTHS };
    this.#lengths.set(model, lengths);
    const left = lengths.answers < ANSWERS_MAX ? 1 : 1 - 1 / ANSWERS_MAX;
    lengths.answers = left * lengths.answers + 1;
    const times = clampMagnitude(Math.log(tokens / Math.max(1, asked.outputTokens)), LENGTH_MAX);
    lengths.times = left * lengths.times + times;
    lengths.squares = left * lengths.squares + times * times;
  }

  /** Returns the expected ratio of the card's answers' length to the predicted one. */
  lengthOf(model: string): number {
    return expectLength(this.#lengths.get(model));
  }

  lengthsBy(places: Places): (place: number) => number {
    const listed = this.#lengths.listBy(places);
    return (place) => expectLength(listed[place]);
  }

  lengthSpreadOf(model: string): number {
    const { answers, times, squares } = this.#lengths.get(model) ?? NO_LENGTHS;
    const apart = answers === 0 ? 0 : Math.max(0, squares - times ** 2 / answers);
    return Math.sqrt((apart + LENGTHS_START * LENGTH_SPREAD ** 2) / (answers + LENGTHS_START));
  }

  leanedOn({ row }: Pick<Prediction, "row">) {
    const topics = this.#fitted.posterior?.topics;
    if (topics === undefined) return [];
    const shares = readTopics(row);
    const all = TOPICS.map((topic, at) => ({ topic, share: shares[at] ?? 0, prompts: topics[at] ?? 0 }));
    const likely = all.filter(({ share }) => share >= TOPIC_SHARE_MIN);
    return likely.sort((a, b) => b.share - a.share).slice(0, TOPICS_SHOWN);
  }

  shiftsBy(places: Places, { row }: Pick<Prediction, "row">): Shifts {
    if (this.#taught.size === 0) return NO_SHIFTS;
    const listed = this.#taught.listBy(places);
    const { phi, variance, common } = this.#look(row);
    return {
      quality: (place) => {
        const fit = listed[place]?.fit;
        const lift = listed[place]?.lift ?? 0;
        if (fit === undefined) return lift;
        return common + clampMagnitude(fit.overall + dot(fit.weights, phi) + lift, OWN_MAX);
      },
      lift: (place) => listed[place]?.level ?? 0,
      spread: (place) => Math.sqrt(variance * (listed[place]?.fit?.noise ?? 0)),
      doubt: (place) => listed[place]?.fit?.doubt ?? 1,
    };
  }

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

  weightFor(what: "money" | "time", share: number): number | null {
    return findWeight(this.#fitted.posterior?.[what] ?? [], share);
  }

  get margin(): number {
    return this.#fitted.posterior?.margin ?? 0;
  }

  get usualCostUsd(): number {
    return this.#fitted.posterior?.usualCostUsd ?? 0;
  }

  /** Computed once for all models: a decision asks for hundreds. */
  #look(row: Float32Array) {
    if (this.#seen?.row !== row) this.#seen = describeRow(row, this.#fitted.posterior);
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

  /** Adopts what `other` learned from scores. Lengths are measured here and stay. */
  become(other: Learned): void {
    this.#evidence = other.#evidence;
    this.#isStale = other.#isStale;
    this.#sway = other.#sway;
    this.#use(other.#fitted);
  }

  /** Forgets one card's lengths now, and its scores at the next `fit`. */
  reset(model: string): void {
    this.#evidence.forget(model);
    this.#lengths.delete(model);
    this.#isStale = true;
  }
}

function expectLength(lengths: Lengths | undefined): number {
  return lengths === undefined ? 1 : Math.exp(lengths.times / (lengths.answers + LENGTHS_START));
}

/** Compares a request with the labelled prompts. */
function describeRow(row: Float32Array, posterior: Posterior | null) {
  const design = readDesign(row);
  return {
    ...design,
    row,
    /** In units of a fit's noise. */
    variance: posterior === null ? 0 : measureUnder(posterior.covariance, design.phi),
    /** The amount by which all labelled models are likely to do better than expected. */
    common: posterior === null ? 0 : clampMagnitude(dot(posterior.common, design.phi), COMMON_MAX),
  };
}

/** Returns the share of values below this one. Equal ones count half. */
function findRank(values: Float32Array, value: number): number {
  let halves = 0;
  for (const one of values) halves += Number(one < value) + Number(one <= value);
  return halves / 2 / values.length;
}
