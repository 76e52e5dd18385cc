// The labelled prompts once more, each as if its own labels weren't known: what is kept of the champion's quality at which
// price of cost or time.
import type { Expense, FindExpense } from "../expense.ts";
import { weighCost, weighTime } from "../saving.ts";
import { bounded } from "./algebra.ts";
import { type Fit, type Foretold, type Labelled, OWN_MAX } from "./labelled.ts";
import { type Tradeoff, type Trial, weighTrials } from "./tradeoff.ts";

/** Prompts between two slices of work. */
const SLICE = 20;

interface Fitting extends Foretold {
  readonly fits: ReadonlyMap<string, Fit>;
}

export interface Tradeoffs {
  readonly money: Tradeoff;
  readonly time: Tradeoff;
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
  findExpense: FindExpense,
): Generator<void, Tradeoffs> {
  const asked: Asked[] = [];
  for (const [at, prompt] of prompts.entries()) {
    asked.push(...findAnswers(prompt, at, fitted, findExpense));
    if (at % SLICE === SLICE - 1) yield;
  }
  const usualCostUsd = asked.reduce((sum, { champion }) => sum + champion.usd, 0) / Math.max(1, asked.length);
  const weighUsd = (one: Expense, champion: Expense) => weighCost(one.usd, champion.usd, usualCostUsd);
  const money = yield* weighTrials(yield* makeTrials(asked, weighUsd));
  const weighMs = (one: Expense, champion: Expense) => weighTime(one.ms, champion.ms);
  const time = yield* weighTrials(yield* makeTrials(asked, weighMs));
  return { money, time, usualCostUsd };
}

/** None where the champion wasn't labelled, or it alone. */
function findAnswers(
  { marks, lengths }: Labelled,
  at: number,
  { fits, champion, foretold }: Fitting,
  findExpense: FindExpense,
): readonly Asked[] {
  const answers = new Map<string, Answer>();
  const base = foretold.get(champion)?.[at] ?? 0;
  for (const [model, { weight, expected, residual }] of marks) {
    const expense = findExpense(model, lengths);
    const fit = fits.get(model);
    if (expense === null || fit === undefined) continue;
    const apart = fit.slope * ((foretold.get(model)?.[at] ?? 0) - base);
    const told = expected / weight + bounded(fit.overall + apart, OWN_MAX);
    answers.set(model, { told, real: (expected + residual) / weight, ...expense });
  }
  const single = answers.get(champion);
  if (single === undefined || answers.size < 2) return [];
  answers.delete(champion);
  return [{ champion: single, others: [...answers.values()] }];
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
