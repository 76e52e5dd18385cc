// Learns online from scores of answers: labels are kept by prompt and fitted for all models together, so that a
// decision costs one look at the request and one dot product per model.
import { NOBODY } from "../core/keys/payer.ts";
import type { ModelCard } from "../core/models/card.ts";
import { CardMap, type Places } from "../core/world/card-map.ts";
import type { FloatRows } from "../core/world/weighted-sums.ts";
import type { FindModel } from "../selectors/expense.ts";
import { type Change, type Knowledge, NO_SHIFTS, type Shifts } from "../selectors/knowledge.ts";
import { readDesign, readTopics } from "../selectors/row.ts";
import type { Prediction } from "../selectors/text/predictor.ts";
import { TOPICS } from "../selectors/text/topics.ts";
import { clampMagnitude, dot, measureUnder } from "./algebra.ts";
import { type Drifts, describeDrift, viewDrift } from "./drift.ts";
import { Evidence, type Evident } from "./evidence.ts";
import { collectVoices, countLabels, LEVEL_START, weighVoices } from "./feedback.ts";
import {
  type Fit,
  type FittedModels,
  gatherWeights,
  type Posterior,
  packFitted,
  type TaughtView,
  unpackFitted,
} from "./fitted.ts";
import { AnswerLengths } from "./lengths.ts";
import { fitPosterior } from "./posterior.ts";
import { finishSlices } from "./slices.ts";
import { findBest, findSway, liftLevel, type Sway } from "./sway.ts";
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
  /** The place of the fit among all, if there is one. */
  readonly at: number;
  /** The correction by users' scores, and that of the overall level by these and by labels. */
  readonly lift: number;
  readonly level: number;
  /** The day of the newest score if they weigh as much as what was known before, or more. Null if not. */
  readonly scoredOn: string | null;
  /** The day of its last change and what it became. Null if it hasn't changed. */
  readonly changed: Change | null;
}

/** Without a day if only the lengths of its answers are known. */
interface LearnedModelView extends Omit<TaughtView, "as_of"> {
  readonly as_of: string | null;
  readonly changed: ReturnType<typeof viewDrift>;
}

export class LearnedModels implements Knowledge {
  #evidence: Evidence;
  #fitted: FittedModels = { posterior: null, lifts: {}, views: [], drifts: {} };
  #isStale = false;
  #sway: Sway | null = null;
  readonly #lengths = new AnswerLengths();
  #taught = new CardMap<Taught>();
  /** A column for each fit. */
  #weights: FloatRows | null = null;
  #seen: ReturnType<typeof describeRow> | null = null;

  /** Changes of models are only ignored to measure what watching for them gains. */
  constructor(isDriftWatched = true) {
    this.#evidence = new Evidence(isDriftWatched);
  }

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
    finishSlices(this.#fitting({ asOfMs, findModel, choosable }));
  }

  /** Like `fit`, in slices of a millisecond or less with `pause` after each. Decisions use the last fit meanwhile. */
  async fitSlowly(input: FitInput, pause: () => Promise<void>): Promise<void> {
    for (const _ of this.#fitting(input)) await pause();
  }

  *#fitting({ asOfMs, findModel, choosable }: FitInput): Generator<void> {
    this.#isStale = false;
    const { prompts, feedback, views } = yield* this.#evidence.sumUp(asOfMs);
    const { drifts } = this.#evidence;
    const posterior = yield* fitPosterior(prompts, findModel);
    const voices = yield* collectVoices(feedback, posterior);
    const lifts = yield* weighVoices(voices, drifts);
    this.#sway = yield* findSway({ voices, lifts, posterior, drifts }, choosable);
    this.#use({ posterior, lifts, views, drifts }, yield* gatherWeights(posterior));
  }

  /** The account that alone decides which model is the best overall, as of the last fit. */
  get sway(): Sway | null {
    return this.#sway;
  }

  /** Returns the best of these models overall, as of the last fit. Null if there are none. */
  findBest(cards: readonly ModelCard[]): string | null {
    return findBest(cards, this.#fitted.posterior, this.#fitted.lifts);
  }

  #use(fitted: FittedModels, weights: FloatRows | null): void {
    this.#fitted = fitted;
    this.#weights = weights;
    this.#seen = null;
    this.#taught = new CardMap();
    const { posterior, lifts, views, drifts } = fitted;
    const days = new Map(views.map((view) => [view.model, view.as_of]));
    const models = new Set([...(posterior?.fits.keys() ?? []), ...Object.keys(lifts)]);
    for (const [at, model] of [...models].entries()) {
      const lift = clampMagnitude(lifts[model]?.lift ?? 0, OWN_MAX);
      const fit = posterior?.fits.get(model);
      const count = countLabels(fit?.doubt ?? 1) + (lifts[model]?.count ?? 0);
      const scoredOn = count < LEVEL_START ? null : (days.get(model) ?? null);
      const changed = describeDrift(drifts[model]);
      const level = liftLevel(posterior, lifts, model);
      this.#taught.set(model, { fit, at, lift, level, scoredOn, changed });
    }
  }

  /** Returns the last fit, for `unpack`. */
  pack(): object {
    return packFitted(this.#fitted);
  }

  /** Uses a packed fit until the next one. False if it can't be read. */
  unpack(packed: unknown): boolean {
    const fitted = unpackFitted(packed);
    if (fitted !== null) this.#use(fitted, finishSlices(gatherWeights(fitted.posterior)));
    return fitted !== null;
  }

  /** Returns the lessons dropped since the last call because there were too many prompts. */
  takeDropped(): readonly Evident[] {
    return this.#evidence.takeDropped();
  }

  /** Learns from the length in tokens of a payer's answer, compared with the expected one. */
  foldLength(asked: Pick<Prediction, "outputTokens">, model: string, tokens: number, payer = NOBODY): void {
    this.#lengths.fold(asked, model, tokens, payer);
  }

  /** Returns the expected ratio of the card's answers' length to the predicted one. */
  lengthOf(model: string): number {
    return this.#lengths.of(model);
  }

  lengthsBy(places: Places, payer: string): (place: number) => number {
    return this.#lengths.by(places, payer);
  }

  lengthSpreadOf(model: string, payer: string): number {
    return this.#lengths.spreadOf(model, payer);
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
    const { variance, common, owns } = this.#look(row);
    return {
      quality: (place) => {
        const taught = listed[place];
        if (taught === undefined) return 0;
        const { fit, at, lift } = taught;
        if (fit === undefined) return lift;
        return common + clampMagnitude(fit.overall + (owns[at] ?? 0) + lift, OWN_MAX);
      },
      lift: (place) => listed[place]?.level ?? 0,
      spread: (place) => Math.sqrt(variance * (listed[place]?.fit?.noise ?? 0)),
      doubt: (place) => listed[place]?.fit?.doubt ?? 1,
      scoredOn: (place) => listed[place]?.scoredOn ?? null,
      changed: (place) => listed[place]?.changed ?? null,
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
    if (this.#seen?.row !== row) this.#seen = describeRow(row, this.#fitted.posterior, this.#weights);
    return this.#seen;
  }

  /** The models that have become worse or better, as of the last fit. */
  get drifts(): Drifts {
    return this.#fitted.drifts;
  }

  /** Takes over changes that were found when older scores still existed. They count from the next fit on. */
  recallDrifts(drifts: Drifts): void {
    this.#evidence.recall(drifts);
  }

  get promptsKnown(): number {
    return this.#evidence.size;
  }

  /** Includes models of which only the lengths of answers are known, without a day. */
  views(): readonly LearnedModelView[] {
    const { drifts } = this.#fitted;
    const views = this.#fitted.views.map((view) => ({ ...view, changed: viewDrift(drifts[view.model]) }));
    const taught = new Set(views.map(({ model }) => model));
    const others = [...this.#lengths.models()].filter((model) => !taught.has(model));
    return [
      ...views,
      ...others.map((model) => ({ model, labels: 0, as_of: null, changed: null, categories: {} })),
    ];
  }

  /** Adopts what `other` learned from scores. Lengths are measured here and stay. */
  become(other: LearnedModels): void {
    this.#evidence = other.#evidence;
    this.#isStale = other.#isStale;
    this.#sway = other.#sway;
    this.#use(other.#fitted, other.#weights);
  }

  /** Forgets one card's lengths now, and its scores at the next `fit`. */
  reset(model: string): void {
    this.#evidence.forget(model);
    this.#lengths.forget(model);
    this.#isStale = true;
  }
}

/** Compares a request with the labelled prompts. */
function describeRow(row: Float32Array, posterior: Posterior | null, weights: FloatRows | null) {
  const design = readDesign(row);
  return {
    ...design,
    row,
    /** In units of a fit's noise. */
    variance: posterior === null ? 0 : measureUnder(posterior.covariance, design.phi),
    /** The amount by which all labelled models are likely to do better than expected. */
    common: posterior === null ? 0 : clampMagnitude(dot(posterior.common, design.phi), COMMON_MAX),
    /** Each model's difference from the champion beyond that of their levels, in the order of the fits. */
    owns: weights?.sum(design.phi) ?? new Float64Array(0),
  };
}

/** Returns the share of values below this one. Equal ones count half. */
function findRank(values: Float32Array, value: number): number {
  let halves = 0;
  // By index, because an iterator takes several times as long.
  for (let at = 0; at < values.length; at++) {
    const one = values[at] ?? 0;
    halves += Number(one < value) + Number(one <= value);
  }
  return halves / 2 / values.length;
}
