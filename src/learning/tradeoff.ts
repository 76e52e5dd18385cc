// The quality that `fair` gives up for money and `light` for time: only as much as keeps the share of quality asked for
// when the labelled prompts are replayed, each as if its own labels weren't known.
import { type Expense, type FindModel, weighCost, weighTime } from "../selectors/expense.ts";
import { CHAMPION_ONLY } from "../selectors/knowledge.ts";
import { clampMagnitude } from "./algebra.ts";
import type { LabelledPrompt } from "./evidence.ts";
import type { Fit, Posterior, Tradeoff } from "./fitted.ts";
import { mapInSlices } from "./slices.ts";

/** One model's answer to a labelled prompt. */
interface AnswerOffer {
  /** The quality predicted from the other prompts' labels. */
  readonly told: number;
  /** The actual score. */
  readonly real: number;
  /** The cost or time, as `weighCost` or `weighTime` gives it. */
  readonly expense: number;
}

/** A labelled prompt as a selector would meet it: the champion's answer, and those that may replace it. */
export interface Trial<One = AnswerOffer> {
  readonly champion: One;
  readonly others: readonly One[];
}

/** The most by which a model's own correction changes a quality. */
export const OWN_MAX = 0.35;
/** Fewer prompts say too little about the quality that is kept. */
const TRIALS_MIN = 100;
/** With fewer prompts that several models are scored on, scores of one model alone may say that it is bad. */
const MARGIN_TRIALS_MIN = 30;
/** Models' true differences are expected to be about this large: the mean of a Laplace prior. */
const DIFFERENCE_USUAL = 0.015;
const WEIGHTS: readonly number[] = [0, ...Array.from({ length: 32 }, (_, at) => 0.002 * 1.25 ** at)];

/** Returns the highest weight up to which a share, 0…1, is kept, or `CHAMPION_ONLY`. Null if too little is known. */
export function findWeight(tradeoff: Tradeoff, share: number): number | null {
  if (tradeoff.length === 0) return null;
  let found = CHAMPION_ONLY;
  for (const step of tradeoff) {
    if (step.share < share) break;
    found = step.weight;
  }
  return found;
}

/** Each prompt as predicted from the labels of the others. */
export interface ModelFits {
  readonly champion: string;
  /** By model and prompt: the difference from the champion beyond that of their levels. Missing for the champion. */
  readonly predicted: ReadonlyMap<string, Float64Array>;
  readonly fits: ReadonlyMap<string, Fit>;
  /** The residual variance of a prompt's difference from the champion, for all models together. */
  readonly noise: number;
}

type PricedAnswer = Omit<AnswerOffer, "expense"> & Expense;
type AnswerTrial = Trial<PricedAnswer>;

/** Finds the weights of cost for `fair` and of time for `light`, and the lead at which `best` leaves the champion. */
export function* weighExpenses(
  prompts: readonly LabelledPrompt[],
  fitted: ModelFits,
  findModel: FindModel,
): Generator<void, Pick<Posterior, "money" | "time" | "margin" | "usualCostUsd">> {
  const found = yield* mapInSlices(prompts, (prompt, at) => findAnswers(prompt, at, fitted, findModel));
  const asked = found.filter((one) => one !== null);
  const usualCostUsd = asked.reduce((sum, { champion }) => sum + champion.usd, 0) / Math.max(1, asked.length);
  const inMoney = (one: Expense, champion: Expense) => weighCost(one.usd, champion.usd, usualCostUsd);
  const inTime = (one: Expense, champion: Expense) => weighTime(one.ms, champion.ms);
  const money = yield* weighTrials(yield* mapInSlices(asked, (one) => makeTrial(one, inMoney)));
  const time = yield* weighTrials(yield* mapInSlices(asked, (one) => makeTrial(one, inTime)));
  // By that prior, the most likely difference is the estimated one less this multiple of its squared standard error.
  const margin = asked.length < MARGIN_TRIALS_MIN ? 0 : fitted.noise / asked.length / DIFFERENCE_USUAL;
  return { money, time, usualCostUsd, margin };
}

/** Null unless the champion and at least one other model have labels for the prompt. */
function findAnswers(
  { marks, lengths }: LabelledPrompt,
  at: number,
  { fits, champion, predicted }: ModelFits,
  findModel: FindModel,
): AnswerTrial | null {
  const answers = new Map<string, PricedAnswer>();
  for (const [model, { weight, expected, residual }] of marks) {
    const expense = findModel(model)?.estimate(lengths);
    const fit = fits.get(model);
    if (!expense || fit === undefined) continue;
    const apart = fit.slope * (predicted.get(model)?.[at] ?? 0);
    const told = expected / weight + clampMagnitude(fit.overall + apart, OWN_MAX);
    answers.set(model, { told, real: (expected + residual) / weight, ...expense });
  }
  const single = answers.get(champion);
  if (single === undefined || answers.size < 2) return null;
  answers.delete(champion);
  return { champion: single, others: [...answers.values()] };
}

function makeTrial(
  { champion, others }: AnswerTrial,
  weigh: (one: Expense, champion: Expense) => number,
): Trial {
  const offer = (one: PricedAnswer) => ({ told: one.told, real: one.real, expense: weigh(one, champion) });
  const usual = offer(champion);
  return { champion: usual, others: others.map(offer).filter(({ expense }) => expense <= usual.expense) };
}

/** In slices: each weight passes over all labels. */
export function* weighTrials(trials: readonly Trial[]): Generator<void, Tradeoff> {
  if (trials.length < TRIALS_MIN) return [];
  const steps: Tradeoff = [];
  for (const weight of WEIGHTS) {
    steps.push({ weight, share: computeShare(trials, weight) });
    yield;
  }
  return steps;
}

/** Returns the share of the champion's scores that choosing at a weight reaches, less one standard error. */
function computeShare(trials: readonly Trial[], weight: number): number {
  let sum = 0;
  let single = 0;
  let squares = 0;
  let singles = 0;
  let products = 0;
  for (const { champion, others } of trials) {
    const { real } = pick(champion, others, weight);
    sum += real;
    single += champion.real;
    squares += real * real;
    singles += champion.real ** 2;
    products += real * champion.real;
  }
  if (single <= 0) return 1;
  const share = sum / single;
  // The variance of this ratio's residuals: each score minus `share` times the champion's.
  const variance = (squares - 2 * share * products + share * share * singles) / trials.length;
  return share - Math.sqrt(Math.max(0, variance) / trials.length) / (single / trials.length);
}

function pick(champion: AnswerOffer, others: readonly AnswerOffer[], weight: number): AnswerOffer {
  let best = champion;
  let highest = champion.told - weight * champion.expense;
  for (const other of others) {
    const score = other.told - weight * other.expense;
    if (score <= highest) continue;
    best = other;
    highest = score;
  }
  return best;
}
