// Trials with labels only: skills as flat as their mean score, a given number of labelled prompts, several draws.
import { Learned } from "../../src/selectors/learning/learned.ts";
import type { Parameters } from "../../src/selectors/parameters.ts";
import type { Pool, Row } from "./data.ts";
import { shuffled } from "./dice.ts";
import { type Field, makeInput, makePicks, type Picked, taught } from "./pools.ts";
import { average, bootstrapped, type Interval } from "./statistics.ts";
import { type Fold, pricedField } from "./trial-pools.ts";

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
    for (const { part, parameters } of folds) {
      const others = priced.rows.filter((row) => row.part !== part);
      const scored = priced.rows.filter((row) => row.part === part);
      for (const { row, at } of drawnPicks(priced, others, scored, {
        labels,
        seed: 500 + draw,
        parameters,
      })) {
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

function drawnPicks(
  priced: Field,
  others: readonly Row[],
  scored: readonly Row[],
  {
    labels,
    seed,
    parameters,
  }: { readonly labels: number; readonly seed: number; readonly parameters: Parameters | undefined },
): readonly Picked[] {
  const drawn = [...shuffled(others.length, seed)].slice(0, labels).flatMap((at) => others[at] ?? []);
  const field = withFlatSkills(priced, drawn);
  const learned = labels === 0 ? new Learned() : taught(field, drawn, parameters);
  return makePicks("best", field, scored, makeInput(field, learned, 0.98), parameters);
}
