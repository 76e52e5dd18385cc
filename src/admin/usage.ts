// Usage: requests, tokens, money, first tokens by day, model, key, account, provider, operation and surface.
import { type Static, Type } from "@sinclair/typebox";
import { invalidValue } from "../core/schema-fault.ts";
import type { Store, UsageDimension, UsageQuery } from "../core/store.ts";
import type { Clock } from "../core/world.ts";
import type { DayRules } from "../ledger/day.ts";
import { Figures, figuresSchema } from "./figures.ts";
import { closeObject, text, type View } from "./schema.ts";
import { eachPiece, listDays, momentFields, readSpan, type Span, splitSpan } from "./span.ts";

const GROUPS = ["day", "model", "key", "account", "provider", "operation", "surface"] as const;
type Group = (typeof GROUPS)[number];

/** The store's column for each group. Days have none, because they are queried one by one. */
const DIMENSIONS: Readonly<Record<Group, UsageDimension | null>> = {
  day: null,
  model: "model",
  key: "keyId",
  account: "accountId",
  provider: "model",
  operation: "operation",
  surface: "surface",
};

const GROUPS_MAX = 50_000;

export interface UsageParts {
  readonly store: Pick<Store, "usage" | "firstTokens">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly dayRules: () => DayRules;
}

/** Only the grouped fields are present. A model or provider is empty if none answered or failed. */
const labelsSchema = Type.Object({
  day: Type.Optional(text),
  model: Type.Optional(text),
  key_id: Type.Optional(text),
  account_id: Type.Optional(text),
  provider: Type.Optional(text),
  operation: Type.Optional(text),
  surface: Type.Optional(text),
});
type Labels = View<typeof labelsSchema>;

const rowSchema = Type.Object({ ...labelsSchema.properties, ...figuresSchema.properties });
export type UsageView = View<typeof rowSchema>;

export const usageSchema = Type.Object({ data: Type.Array(rowSchema) });
export type UsageSums = View<typeof usageSchema>;

export const usageQuery = closeObject({
  group_by: Type.Optional(
    Type.String({
      pattern: `^(${GROUPS.join("|")})(,(${GROUPS.join("|")}))*$`,
      expected: `a comma-separated list of ${GROUPS.join(", ")}`,
    }),
  ),
  ...momentFields,
});

interface Sum {
  readonly labels: Labels;
  readonly figures: Figures;
}

/**
 * Returns the sums from `from` until before `to`, grouped by `group_by` (comma-separated, default `day`). A bare date
 * means the operator's whole day, and the default is the last 30 days. Sorted by day, then the most expensive first.
 * The granularity is the UTC hour: an hour counts whole, by its start. If a day starts within a UTC hour, as in zones
 * with an offset of 30 or 45 minutes, the rest of that hour counts for the day before.
 */
export async function sumUsage(
  { store, clock, dayRules }: UsageParts,
  query: Static<typeof usageQuery>,
): Promise<UsageSums> {
  const words = query.group_by?.split(",") ?? ["day"];
  const groups = GROUPS.filter((group) => words.includes(group));
  const rules = dayRules();
  const span = readSpan(query, clock.nowMs(), rules);
  const groupBy = [...new Set(groups.map((group) => DIMENSIONS[group]).filter((one) => one !== null))];
  const sums = new Map<string, Sum>();
  const pieces = groups.includes("day")
    ? listDays(span, rules)
    : splitSpan(span).map((piece) => ({ name: "", ...piece }));
  const findFigures = (name: string, row: Dimensions) =>
    findOrAddSum(sums, chooseLabels(groups, name, row)).figures;
  const find = ({ fromMs, toMs }: Span) => listUsageSums(store, { fromMs, toMs, groupBy });
  await eachPiece(pieces, find, ({ usage, firstTokens }, { name }) => {
    // The store also returns a row for a sum over nothing.
    for (const row of usage) if (row.requests > 0) findFigures(name, row).add(row);
    for (const row of firstTokens) findFigures(name, row).addFirstTokens(row);
  });
  return {
    data: [...sums.values()]
      .sort(compareSums)
      .map(({ labels, figures }) => ({ ...labels, ...figures.view() })),
  };
}

/** Returns both kinds of sums over the same requests. */
export async function listUsageSums(store: UsageParts["store"], query: UsageQuery) {
  const [usage, firstTokens] = await Promise.all([store.usage(query), store.firstTokens(query)]);
  return { usage, firstTokens };
}

interface Dimensions {
  readonly model: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly operation: string;
  readonly surface: string;
}

function chooseLabels(
  groups: readonly Group[],
  day: string,
  { model, keyId, accountId, operation, surface }: Dimensions,
): Labels {
  const all: Readonly<Record<Group, Labels>> = {
    day: { day },
    model: { model },
    key: { key_id: keyId },
    account: { account_id: accountId },
    provider: { provider: model.split("#", 1)[0] ?? model },
    operation: { operation },
    surface: { surface },
  };
  return Object.assign({}, ...groups.map((group) => all[group]));
}

function findOrAddSum(sums: Map<string, Sum>, labels: Labels): Sum {
  const id = JSON.stringify(labels);
  const known = sums.get(id);
  if (known) return known;
  if (sums.size === GROUPS_MAX) {
    throw invalidValue(
      "group_by",
      `the answer would have more than ${GROUPS_MAX} rows; use fewer groups, or a shorter time range`,
    );
  }
  const sum = { labels, figures: new Figures() };
  sums.set(id, sum);
  return sum;
}

/** Orders by day, then by falling cost. Labels break ties, so that the order is stable. */
function compareSums(a: Sum, b: Sum): number {
  const days = compare(a.labels.day ?? "", b.labels.day ?? "");
  const costs = b.figures.costNanoUsd - a.figures.costNanoUsd;
  return days || costs || compare(JSON.stringify(a.labels), JSON.stringify(b.labels));
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
