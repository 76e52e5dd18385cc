// Trials on the many-model pools: the shipped choice's picks, in and out of distribution, and their savings.
import { LearnedModels } from "../../../../src/learning/learned.ts";
import { type Parameters, readParameters } from "../../../../src/selectors/text/parameters.ts";
import { makeDice } from "../../dice.ts";
import { type Pool, type Row, TEST_PART } from "../data.ts";
import {
  type Field,
  makeField,
  makeInput,
  makePicks,
  type Picked,
  predictQualities,
  spentOn,
  taught,
  withSkills,
} from "../pools.ts";
import { LIST_PRICES } from "../prices.ts";
import { average, bootstrapped, computeEntropy, computeSpread, type Interval } from "../statistics.ts";
import { train } from "../train.ts";

/** Their hidden thinking is in no row's length, so they cost more than the rows show and are excluded from costs. */
const HIDDEN_THINKING = /^o1-|o3-mini|deepseek-r1|qwq/;

/** The pool's models that have a list price. */
export function pricedField(pool: Pool, withHidden: boolean): Field {
  return makeField(
    pool,
    (model) =>
      (pool === "mmlu_pro" && withHidden) ||
      (model in LIST_PRICES && (withHidden || !HIDDEN_THINKING.test(model.replace(/^.*\//, "")))),
  );
}

/** The scored part and the parameters. The parts before it are learned from. */
export interface Fold {
  readonly part: number;
  /** Undefined for the shipped ones. */
  readonly parameters: Parameters | undefined;
}

export const SHIPPED: Fold = { part: TEST_PART, parameters: undefined };

/** A part other than that of the shipped parameters, with parameters that never saw it. */
export function makeFold(part: number): Fold {
  return { part, parameters: readParameters(train({ keep: (row) => row.part !== part })) };
}

export function splitParts(
  { rows }: Field,
  scoredPart = TEST_PART,
): { readonly learned: readonly Row[]; readonly scored: readonly Row[] } {
  return {
    learned: rows.filter(({ part }) => part < scoredPart),
    scored: rows.filter(({ part }) => part === scoredPart),
  };
}

export interface PickResult {
  readonly name: string;
  readonly rows: number;
  readonly accuracy: number;
  readonly bestSingle: number;
  readonly gain: Interval;
  readonly setOracle: number;
  readonly queryOracle: number;
  readonly entropy: number;
}

export interface ForeignResult extends PickResult {
  /**
   * The gain over the model that is best on the known rows, those of the other sets. Without further knowledge no
   * better single model can be known.
   */
  readonly overKnown: Interval;
}

/** The best single model has the highest mean on all the pool's rows, which no router knows beforehand. */
export function pickResult(name: string, field: Field, picks: readonly Picked[]): PickResult {
  const rows = picks.map(({ row }) => row);
  const { at: best } = findBestSingle(field, field.rows);
  const bestSingle = average(rows.map(({ scores }) => scores[best] ?? 0));
  const sets = Map.groupBy(rows, ({ set }) => set);
  let bySet = 0;
  for (const own of sets.values()) bySet += findBestSingle(field, own).mean * own.length;
  return {
    name,
    rows: rows.length,
    accuracy: average(picks.map(({ row, at }) => row.scores[at] ?? 0)),
    bestSingle,
    gain: bootstrapped(picks.map(({ row, at }) => (row.scores[at] ?? 0) - (row.scores[best] ?? 0))),
    setOracle: bySet / rows.length,
    queryOracle: average(rows.map(({ scores }) => Math.max(...scores))),
    entropy: computeEntropy(picks.map(({ at }) => at)),
  };
}

export function findBestSingle(
  { models }: Field,
  rows: readonly Row[],
): { readonly at: number; readonly mean: number } {
  const means = models.map((_, m) => average(rows.map(({ scores }) => scores[m] ?? 0)));
  const mean = Math.max(...means);
  return { at: means.indexOf(mean), mean };
}

/** The learning parts' rows, once as skill rows only and once as labels too. */
export function inDistribution(pool: Pool, { part, parameters }: Fold): readonly PickResult[] {
  const priced = pricedField(pool, true);
  const { learned, scored } = splitParts(priced, part);
  const field = withSkills(priced, learned, parameters);
  const state = taught(field, learned, parameters);
  const rowsOnly = makePicks("best", field, scored, makeInput(field, new LearnedModels(), 0.98), parameters);
  const labels = makePicks("best", field, scored, makeInput(field, state, 0.98), parameters);
  return [
    pickResult(`${pool}, skill rows only`, field, rowsOnly),
    pickResult(`${pool}, labels learned`, field, labels),
  ];
}

/** One set at a time: retrained parameters, rows and labels, all without it and without others of its kind. */
export function outOfDistribution(
  pool: Pool,
  retrained: (topic: string) => Parameters,
  part = TEST_PART,
): readonly ForeignResult[] {
  const field = pricedField(pool, true);
  const { learned, scored } = splitParts(field, part);
  const champions = new Map<string, number>();
  const labels: Picked[] = [];
  const rowsOnly: Picked[] = [];
  for (const set of new Set(field.rows.map((row) => row.set))) {
    const own = scored.filter((row) => row.set === set);
    const [first] = own;
    if (first === undefined) continue;
    const parameters = retrained(first.topic);
    const others = learned.filter((row) => row.set !== set && row.topic !== first.topic);
    champions.set(set, findBestSingle(field, others).at);
    const known = withSkills(field, others, parameters);
    const state = taught(known, others, parameters);
    labels.push(...makePicks("best", known, own, makeInput(known, state, 0.98), parameters));
    rowsOnly.push(...makePicks("best", known, own, makeInput(known, new LearnedModels(), 0.98), parameters));
  }
  const result = (name: string, picks: readonly Picked[]): ForeignResult => {
    const gains = picks.map(({ row, at }) => {
      const known = champions.get(row.set) ?? at;
      return (row.scores[at] ?? 0) - (row.scores[known] ?? 0);
    });
    return { ...pickResult(name, field, picks), overKnown: bootstrapped(gains) };
  };
  return [result(`${pool}, skill rows only`, rowsOnly), result(`${pool}, labels learned`, labels)];
}

/** Trains once for each excluded kind. */
export function retraining(part = TEST_PART): (topic: string) => Parameters {
  const made = new Map<string, Parameters>();
  return (topic) => {
    const keep = (row: Row) => row.topic !== topic && row.part !== part;
    const found = made.get(topic) ?? readParameters(train({ keep }));
    made.set(topic, found);
    return found;
  };
}

export interface SavedResult {
  readonly pool: string;
  readonly dial: number;
  /** The share of the best single model's accuracy that is kept. */
  readonly kept: Interval;
  readonly saved: Interval;
}

export const DIALS = [1, 0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.9, 0.88, 0.86, 0.84, 0.8] as const;

/** Returns the quality that `fair` keeps and the money it saves, both against the best single model, by dial position. */
export function savings(pool: Pool, { part, parameters }: Fold): readonly SavedResult[] {
  const priced = pricedField(pool, false);
  const { learned, scored } = splitParts(priced, part);
  const field = withSkills(priced, learned, parameters);
  const state = taught(field, learned, parameters);
  return DIALS.map((dial) => {
    const picks = makePicks("fair", field, scored, makeInput(field, state, dial), parameters);
    return { pool, dial, ...compareWithBest(field, picks) };
  });
}

/** Compares the picks' scores and costs with those of always the best single model. */
export function compareWithBest(field: Field, picks: readonly Picked[]): Pick<SavedResult, "kept" | "saved"> {
  const { at: best } = findBestSingle(field, field.rows);
  const score = picks.map(({ row, at }) => row.scores[at] ?? 0);
  const single = picks.map(({ row }) => row.scores[best] ?? 0);
  const spent = picks.map(({ row, at }) => spentOn(field, row, at));
  const full = picks.map(({ row }) => spentOn(field, row, best));
  return { kept: ratioOf(score, single), saved: inverted(ratioOf(spent, full)) };
}

function inverted({ mean, low, high }: Interval): Interval {
  return { mean: 1 - mean, low: 1 - high, high: 1 - low };
}

function ratioOf(upper: readonly number[], lower: readonly number[]): Interval {
  const dice = makeDice(7);
  const sumAt = (values: readonly number[], places: readonly number[]) =>
    places.reduce((sum, at) => sum + (values[at] ?? 0), 0);
  const samples = Array.from({ length: 400 }, () => {
    const places = upper.map(() => Math.floor(dice() * upper.length));
    return sumAt(upper, places) / sumAt(lower, places);
  });
  return { mean: average(upper) / average(lower), ...computeSpread(samples) };
}

/** The largest saving that keeps at least `share`, interpolated between positions of the dial. */
export function savedAt(
  results: readonly Record<"kept" | "saved", Pick<Interval, "mean">>[],
  share: number,
): number {
  let most = 0;
  for (const [at, { kept, saved }] of results.entries()) {
    if (kept.mean >= share) most = Math.max(most, saved.mean);
    const next = results[at + 1];
    if (next === undefined || kept.mean < share || next.kept.mean >= share || next.kept.mean === kept.mean)
      continue;
    const part = (kept.mean - share) / (kept.mean - next.kept.mean);
    most = Math.max(most, saved.mean + part * (next.saved.mean - saved.mean));
  }
  return most;
}

export interface NewcomerResult {
  readonly pool: string;
  readonly model: string;
  readonly without: number;
  readonly byRow: number;
  readonly byLabels: number;
  readonly chosen: number;
}

/** The strongest model known by its skill row only, compared with its absence and with its labels. */
export function newcomer(pool: Pool): NewcomerResult {
  const priced = pricedField(pool, true);
  const { learned, scored } = splitParts(priced);
  const { at: newest } = findBestSingle(priced, learned);
  const field = withSkills(priced, learned);
  const all = taught(field, learned);
  const accuracy = (picks: readonly Picked[]) => average(picks.map(({ row, at }) => row.scores[at] ?? 0));
  const byLabels = makePicks("best", field, scored, makeInput(field, all, 0.98));
  all.reset(field.cards[newest]?.id ?? "");
  all.fit();
  const input = makeInput(field, all, 0.98);
  const byRow = makePicks("best", field, scored, input);
  const others = { ...input, cards: field.cards.filter((_, at) => at !== newest) };
  return {
    pool,
    model: field.models[newest] ?? "",
    without: accuracy(makePicks("best", field, scored, others)),
    byRow: accuracy(byRow),
    byLabels: accuracy(byLabels),
    chosen: average(byRow.map(({ at }) => (at === newest ? 1 : 0))),
  };
}

/** The predicted quality and the score of every model on every scored row. */
export function predictedAndSeen(pool: Pool, withLabels: boolean): readonly (readonly [number, number])[] {
  const priced = pricedField(pool, true);
  const { learned, scored } = splitParts(priced);
  const field = withSkills(priced, learned);
  const state = withLabels ? taught(field, learned) : new LearnedModels();
  return scored.flatMap((row) =>
    predictQualities(field, row.prompt, state).map((quality, m) => [quality, row.scores[m] ?? 0] as const),
  );
}
