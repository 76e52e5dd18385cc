// The labelled prompts once more, each as if its own labels weren't known: what is kept of the champion's quality at which
// price of cost or time.
import type { Expense, FindModel } from "../expense.ts";
import { weighCost, weighTime } from "../saving.ts";
import { bounded } from "./algebra.ts";
import { type Fit, type Foretold, type Labelled, OWN_MAX } from "./labelled.ts";
import { findBestWeight, type Tradeoff, type Trial, weighTrials } from "./tradeoff.ts";

/** Prompts between two slices of work. */
const SLICE = 20;

interface Fitting extends Foretold {
  readonly fits: ReadonlyMap<string, Fit>;
}

export interface Tradeoffs {
  readonly money: Tradeoff;
  readonly time: Tradeoff;
  /** The lead that another model needs over the champion; null: no lead pays off on the labels. */
  readonly margin: number | null;
  /** The mean cost of the champion's answers to labelled prompts. */
  readonly usualCostUsd: number;
}

interface Answer extends Expense {
  readonly told: number;
  readonly real: number;
}

interface Asked {
  readonly champion: Answer;
  readonly others: readonly Answer[];
}

/** Tries out the prices of quality that `fair` and `light` may put on cost and time. */
export function* weighExpenses(
  prompts: readonly Labelled[],
  fitted: Fitting,
  findModel: FindModel,
): Generator<void, Tradeoffs> {
  const asked: Asked[] = [];
  for (const [at, prompt] of prompts.entries()) {
    asked.push(...findAnswers(prompt, at, fitted, findModel));
    if (at % SLICE === SLICE - 1) yield;
  }
  const usualCostUsd = asked.reduce((sum, { champion }) => sum + champion.usd, 0) / Math.max(1, asked.length);
  const weighUsd = (one: Expense, champion: Expense) => weighCost(one.usd, champion.usd, usualCostUsd);
  const money = yield* weighTrials(yield* makeTrials(asked, weighUsd));
  const weighMs = (one: Expense, champion: Expense) => weighTime(one.ms, champion.ms);
  const time = yield* weighTrials(yield* makeTrials(asked, weighMs));
  const margin = yield* findMargin(asked);
  return { money, time, usualCostUsd, margin };
}

/** None where the champion wasn't labelled, or it alone. */
function findAnswers(
  { marks, lengths }: Labelled,
  at: number,
  { fits, champion, foretold }: Fitting,
  findModel: FindModel,
): readonly Asked[] {
  const answers = new Map<string, Answer>();
  for (const [model, { weight, expected, residual }] of marks) {
    const expense = findModel(model)?.expend(lengths);
    const fit = fits.get(model);
    if (!expense || fit === undefined) continue;
    const apart = fit.slope * (foretold.get(model)?.[at] ?? 0);
    const told = expected / weight + bounded(fit.overall + apart, OWN_MAX);
    answers.set(model, { told, real: (expected + residual) / weight, ...expense });
  }
  const single = answers.get(champion);
  if (single === undefined || answers.size < 2) return [];
  answers.delete(champion);
  return [{ champion: single, others: [...answers.values()] }];
}

/** Leaving the champion is weighed by fewer prompts than a share that is to be kept: at first it doesn't pay. */
const MARGIN_TRIALS_MIN = 30;

/** The lead at which leaving the champion pays best, as if leaving it had that price. */
function* findMargin(asked: readonly Asked[]): Generator<void, number | null> {
  const offer = ({ told, real }: Answer, expense: number) => ({ told, real, expense });
  const trials = asked.map(({ champion, others }) => ({
    champion: offer(champion, 0),
    others: others.map((one) => offer(one, 1)),
  }));
  return findBestWeight(yield* weighTrials(trials, MARGIN_TRIALS_MIN));
}

type Weigh = (one: Expense, champion: Expense) => number;

function* makeTrials(asked: readonly Asked[], weigh: Weigh): Generator<void, readonly Trial[]> {
  const trials: Trial[] = [];
  for (const [at, one] of asked.entries()) {
    trials.push(makeTrial(one, weigh));
    if (at % SLICE === SLICE - 1) yield;
  }
  return trials;
}

function makeTrial({ champion, others }: Asked, weigh: Weigh): Trial {
  const offer = (one: Answer) => ({ told: one.told, real: one.real, expense: weigh(one, champion) });
  const usual = offer(champion);
  return { champion: usual, others: others.map(offer).filter(({ expense }) => expense <= usual.expense) };
}
