// Trials with labels only: skills as flat as their mean score, a given number of labelled prompts, several draws.
import { LearnedModels } from "../../../../src/learning/learned.ts";
import { shuffled } from "../../dice.ts";
import type { Pool, Row } from "../data.ts";
import { type Field, makeInput, makePicks, type Picked, taught } from "../pools.ts";
import { average, bootstrapped, type Interval } from "../statistics.ts";
import { compareWithBest, DIALS, type Fold, pricedField, type SavedResult, savedAt } from "./pools.ts";

/** A field in which a model has the same skill for every kind of task: its mean score on these rows. */
export function withFlatSkills(field: Field, rows: readonly Row[]): Field {
  const cards = field.cards.map((card, m) => {
    const level = average(rows.map(({ scores }) => scores[m] ?? 0));
    return { ...card, skills: { knowledge: Math.min(0.98, Math.max(0.02, level)) } };
  });
  return { ...field, cards };
}

export interface LabelledResult {
  readonly pool: Pool;
  readonly labels: number;
  readonly rows: number;
  /** The median draw's gain, in points over the best single model, with its interval. */
  readonly gain: Interval;
  readonly draws: readonly number[];
  readonly switched: number;
}

/** Each fold is scored with labels from all other parts, drawn again each time. The gains of all folds are pooled. */
export function labelledTrial(
  pool: Pool,
  {
    labels,
    draws,
    folds,
  }: { readonly labels: number; readonly draws: number; readonly folds: readonly Fold[] },
): LabelledResult {
  const priced = pricedField(pool, true);
  const means = priced.models.map((_, m) => average(priced.rows.map(({ scores }) => scores[m] ?? 0)));
  const best = means.indexOf(Math.max(...means));
  const results = Array.from({ length: draws }, (_, draw) => {
    const gains: number[] = [];
    let switched = 0;
    for (const fold of folds) {
      const pick = learnDrawn(priced, fold, { labels, seed: 500 + draw });
      for (const { row, at } of pick("best", 0.98)) {
        gains.push(100 * ((row.scores[at] ?? 0) - (row.scores[best] ?? 0)));
        if (at !== best) switched++;
      }
    }
    return { gain: bootstrapped(gains), switched: switched / gains.length, rows: gains.length };
  }).toSorted((a, b) => a.gain.mean - b.gain.mean);
  const median = results[Math.floor(draws / 2)];
  if (median === undefined) throw new Error("There must be a draw.");
  return { pool, labels, ...median, draws: results.map(({ gain }) => gain.mean) };
}

/** Learns from labels drawn from all parts but the fold's. Returns a function that picks for the fold's rows. */
function learnDrawn(priced: Field, { part, parameters }: Fold, { labels, seed }: Drawing) {
  const others = priced.rows.filter((row) => row.part !== part);
  const drawn = [...shuffled(others.length, seed)].slice(0, labels).flatMap((at) => others[at] ?? []);
  const field = withFlatSkills(priced, drawn);
  const learned = labels === 0 ? new LearnedModels() : taught(field, drawn, parameters);
  const scored = priced.rows.filter((row) => row.part === part);
  return (selector: "best" | "fair", dial: number): readonly Picked[] =>
    makePicks(selector, field, scored, makeInput(field, learned, dial), parameters);
}

interface Drawing {
  readonly labels: number;
  readonly seed: number;
}

export interface SavingDraw {
  /** By position of the dial, over all folds together. */
  readonly dials: readonly SavedResult[];
  /** The saving that keeps 98 % and 95 % of the best single model's quality, read off the curve over the dial. */
  readonly at98: number;
  readonly at95: number;
}

/** Like `labelledTrial`, for the cost that `fair` saves. Ascending by the saving at 95 %. */
export function savingTrial(
  pool: Pool,
  {
    labels,
    draws,
    folds,
  }: { readonly labels: number; readonly draws: number; readonly folds: readonly Fold[] },
): readonly SavingDraw[] {
  const priced = pricedField(pool, false);
  return Array.from({ length: draws }, (_, draw) => {
    const pickers = folds.map((fold) => learnDrawn(priced, fold, { labels, seed: 500 + draw }));
    const dials = DIALS.map((dial) => {
      const picks = pickers.flatMap((pick) => pick("fair", dial));
      return { pool, dial, ...compareWithBest(priced, picks) };
    });
    return { dials, at98: savedAt(dials, 0.98), at95: savedAt(dials, 0.95) };
  }).toSorted((a, b) => a.at95 - b.at95);
}
