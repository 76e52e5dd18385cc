// Computes what `fair` would save if it knew each question's set: one model for each, by the set's mean score and cost.
import { PARTS, type Pool, type Row, TEST_PART } from "../data.ts";
import { type Field, spentOn } from "../pools.ts";
import { average, percent } from "../statistics.ts";
import { findBestSingle, pricedField, savedAt } from "./pools.ts";

/** The quality that a dollar is worth, from nothing to where only the cheapest model is chosen. */
const WORTHS = [0, ...Array.from({ length: 160 }, (_, at) => 0.001 * 1.12 ** at)];

/** A model's mean score and mean cost in a set. */
interface Mean {
  readonly score: number;
  readonly usd: number;
}
type Means = ReadonlyMap<string, readonly Mean[]>;

/** A table row for each pool: means of the scored rows themselves, and means of the other parts. */
export function listCeilings(pools: readonly Pool[]): readonly string[] {
  const lines = pools.flatMap((pool) => {
    const field = pricedField(pool, false);
    const test = field.rows.filter(({ part }) => part === TEST_PART);
    const byPart = Array.from({ length: PARTS }, (_, own) =>
      computeMeans(
        field,
        field.rows.filter(({ part }) => part !== own),
      ),
    );
    const other = ({ part }: Row) => byPart[part];
    return [["all parts", field.rows] as const, ["part 3", test] as const].map(([name, rows]) => {
      const own = computeMeans(field, rows);
      const cells = [trySets(field, rows, () => own), trySets(field, rows, other)];
      return `| ${pool} | ${name} | ${rows.length} | ${cells.join(" | ")} |`;
    });
  });
  return [
    "| pool | rows of | rows | saved at 98 and 95 %, means of these very rows | means of the other parts |",
    "|---|---|---|---|---|",
    ...lines,
  ];
}

function computeMeans(field: Field, rows: readonly Row[]): Means {
  const sets = Map.groupBy(rows, ({ set }) => set);
  const computeMean = (own: readonly Row[], m: number): Mean => ({
    score: average(own.map(({ scores }) => scores[m] ?? 0)),
    usd: average(own.map((row) => spentOn(field, row, m))),
  });
  return new Map([...sets].map(([set, own]) => [set, field.models.map((_, m) => computeMean(own, m))]));
}

/** Chooses each row's model by its set's means, at every worth of a dollar. */
function trySets(field: Field, rows: readonly Row[], meansFor: (row: Row) => Means | undefined): string {
  const { at: single } = findBestSingle(field, field.rows);
  const sum = (read: (row: Row) => number) => rows.reduce((all, row) => all + read(row), 0);
  const scored = sum(({ scores }) => scores[single] ?? 0);
  const spent = sum((row) => spentOn(field, row, single));
  const results = WORTHS.map((worth) => {
    const picks = new Map(rows.map((row) => [row, pickModel(meansFor(row)?.get(row.set) ?? [], worth)]));
    const kept = sum((row) => row.scores[picks.get(row) ?? 0] ?? 0) / scored;
    const saved = 1 - sum((row) => spentOn(field, row, picks.get(row) ?? 0)) / spent;
    return { kept: { mean: kept }, saved: { mean: saved } };
  });
  return `${percent(savedAt(results, 0.98))}, ${percent(savedAt(results, 0.95))}`;
}

function pickModel(means: readonly Mean[], worth: number): number {
  const values = means.map(({ score, usd }) => score - worth * usd);
  return values.indexOf(Math.max(...values));
}
