// Usage: requests, tokens, money, first tokens by day, model, key, account, provider, operation, surface and selector.
import { type Static, Type } from "@sinclair/typebox";
import type { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { RowDimension, RowSum, UsageQuery } from "../../core/log/log-query.ts";
import { UNTAGGED } from "../../core/log/tags.ts";
import type { Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { formatInstant } from "../format.ts";
import { closeObject, instant, text, type View } from "../schema.ts";
import { listDays, readPieces, readSpan, type Span, splitSpan } from "../span.ts";
import { Figures, figuresSchema } from "./figures.ts";
import { type FilterParts, findFilters } from "./found-filters.ts";
import { readRequestFilter, requestFilterFields } from "./log-filters.ts";
import { seesProviderCosts } from "./provider-cost.ts";
import { findRowsStart, listRowSums, type RowParts } from "./usage-rows.ts";

type Dimensions = Pick<
  RowSum,
  | "hourMs"
  | "model"
  | "keyId"
  | "accountId"
  | "member"
  | "operation"
  | "surface"
  | "outcome"
  | "tag"
  | "selector"
  | "finding"
>;
type UsageGroup = readonly [
  dimension: RowDimension | null,
  label: (row: Dimensions, day: string) => UsageLabels,
];

/** `2026-11` */
const MONTH_CHARACTERS = 7;

/** The store's column for each group, and its label. Days have no column, because they are queried one by one. */
const GROUPS: Readonly<Record<string, UsageGroup>> = {
  month: [null, (_, day) => ({ month: day.slice(0, MONTH_CHARACTERS) })],
  day: [null, (_, day) => ({ day })],
  hour: ["hour", ({ hourMs }) => ({ hour: formatInstant(hourMs) })],
  model: ["model", ({ model }) => ({ model })],
  key: ["keyId", ({ keyId }) => ({ key_id: keyId })],
  account: ["accountId", ({ accountId }) => ({ account_id: accountId })],
  member: ["member", ({ member }) => ({ member_id: member })],
  provider: ["model", ({ model }) => ({ provider: model.split("#", 1)[0] ?? model })],
  operation: ["operation", ({ operation }) => ({ operation })],
  surface: ["surface", ({ surface }) => ({ surface })],
  outcome: ["outcome", ({ outcome }) => ({ outcome })],
  tag: ["tag", ({ tag }) => ({ tag: tag || UNTAGGED })],
  selector: ["selector", ({ selector }) => ({ selector })],
  finding: ["finding", ({ finding }) => labelFinding(finding)],
};

function labelFinding(finding: string): UsageLabels {
  const [detector = "", action = "", at = ""] = finding.split(" ");
  return { detector, action, at };
}

const GROUP_NAMES = Object.keys(GROUPS);
const GROUPS_MAX = 50_000;
/** Times to the first token are not kept by outcome. Nearly all of these requests were answered. */
const FIRST_TOKENS_OUTCOME = "answered";

export interface SumParts extends FilterParts {
  readonly store: FilterParts["store"] & Pick<Store, "usage" | "firstTokens">;
  readonly dayRules: () => DayRules;
}

export type UsageParts = SumParts & RowParts;

/**
 * Only the grouped fields are present. A model or provider is empty if a request had no plan, an outcome if it is from
 * before outcomes were told apart.
 */
const labelsSchema = Type.Object({
  month: Type.Optional(text),
  hour: Type.Optional(text),
  outcome: Type.Optional(text),
  day: Type.Optional(text),
  model: Type.Optional(text),
  key_id: Type.Optional(text),
  account_id: Type.Optional(text),
  // Empty for service keys.
  member_id: Type.Optional(text),
  provider: Type.Optional(text),
  operation: Type.Optional(text),
  surface: Type.Optional(text),
  // Empty for requests that named a model.
  selector: Type.Optional(text),
  // These three name a finding of the guard. A request is in the row of each of its findings.
  detector: Type.Optional(text),
  action: Type.Optional(text),
  at: Type.Optional(text),
  tag: Type.Optional(
    Type.String({
      description:
        "A tag like `team=search`, `other` or `untagged`. A request is in the row of each of its tags.",
    }),
  ),
});
type UsageLabels = View<typeof labelsSchema>;

export const usageRowSchema = Type.Object({ ...labelsSchema.properties, ...figuresSchema.properties });
export type UsageView = View<typeof usageRowSchema>;

const rowsFrom = {
  ...instant,
  description:
    "Only where sums are made of the log's rows, which are kept for a time: nothing before this is in them.",
};
export const usageSchema = Type.Object({
  data: Type.Array(usageRowSchema),
  rows_from: Type.Optional(rowsFrom),
});
export type UsageSums = View<typeof usageSchema>;

export const usageQuery = closeObject({
  group_by: Type.Optional(
    Type.String({
      pattern: `^(${GROUP_NAMES.join("|")})(,(${GROUP_NAMES.join("|")}))*$`,
      expected: `a comma-separated list of ${GROUP_NAMES.join(", ")}`,
    }),
  ),
  ...requestFilterFields,
});

interface LabelledSum {
  readonly labels: UsageLabels;
  readonly figures: Figures;
}

/**
 * Returns the sums from `from` until before `to`, grouped by `group_by` (comma-separated, default `day`). A bare date
 * means the operator's whole day, and the default is the last 30 days. Sorted by day, then the most expensive first.
 * The granularity is the UTC hour: an hour counts whole, by its start. If a day starts within a UTC hour, as in zones
 * with an offset of 30 or 45 minutes, the rest of that hour counts for the day before. Sums by selector or finding, and those
 * narrowed by what the hourly sums don't keep, are made of the log's rows: to the millisecond, but only as far as
 * `rows_from`.
 */
export async function sumUsage(
  parts: UsageParts,
  query: Static<typeof usageQuery>,
  scope?: Scope,
): Promise<UsageSums> {
  const data: UsageView[] = [];
  for await (const rows of readUsage(parts, await findFilters(parts, query, scope), scope)) {
    if (data.length + rows.length > GROUPS_MAX) throw tooManyGroups();
    for (const row of rows) data.push(row);
  }
  const since = findRowsStart(parts, query);
  return { data, ...(since === null ? {} : { rows_from: formatInstant(since) }) };
}

/** Yields the same rows by filters that were found: a day at a time if they are by day, else all at once. Throws if that is more than 50,000. */
export async function* readUsage(
  parts: UsageParts,
  query: Static<typeof usageQuery>,
  scope?: Scope,
): AsyncGenerator<readonly UsageView[]> {
  const words = query.group_by?.split(",") ?? ["day"];
  const groups = Object.entries(GROUPS).flatMap(([name, group]) => (words.includes(name) ? [group] : []));
  const rules = parts.dayRules();
  const span = readKept(readSpan(query, parts.clock.nowMs(), rules), findRowsStart(parts, query));
  const groupBy = [...new Set(groups.map(([dimension]) => dimension).filter((one) => one !== null))];
  const only = readRequestFilter(query, rules, scope);
  const seesCost = seesProviderCosts(scope, only.accountId);
  const isByDay = words.includes("day");
  const pieces =
    isByDay || words.includes("month")
      ? listDays(span, rules)
      : splitSpan(span).map((piece) => ({ name: "", ...piece }));
  let sums = new Map<string, LabelledSum>();
  const findFigures = (name: string, row: Dimensions) =>
    findOrAddSum(sums, Object.assign({}, ...groups.map(([, label]) => label(row, name)))).figures;
  const find = ({ fromMs, toMs }: Span): Promise<FoundSums> => {
    if (span.isOfRows) return listRowSums(parts, { groupBy, only: { ...only, fromMs, toMs } });
    const summed = groupBy.filter((dimension) => dimension !== "selector" && dimension !== "finding");
    return listUsageSums(parts.store, { fromMs, toMs, groupBy: summed, only });
  };
  const add = ({ usage, firstTokens }: FoundSums, name: string) => {
    // The store also returns a row for a sum over nothing.
    for (const row of usage)
      if (row.requests > 0) findFigures(name, { selector: "", finding: "", ...row }).add(row);
    const others = { member: "", tag: "", selector: "", finding: "", outcome: FIRST_TOKENS_OUTCOME } as const;
    for (const row of firstTokens) findFigures(name, { ...others, ...row }).addFirstTokens(row);
  };
  for await (const some of readPieces(pieces, find)) {
    for (const { piece, found } of some) {
      add(found, piece.name);
      if (!isByDay) continue;
      // No later day adds to these.
      yield viewSums(sums, seesCost);
      sums = new Map();
    }
  }
  if (!isByDay) yield viewSums(sums, seesCost);
}

type FoundSums = Awaited<ReturnType<typeof listUsageSums | typeof listRowSums>>;

/** Returns the part of a range of which there are rows, if sums are made of them. */
function readKept({ fromMs, toMs }: Span, sinceMs: number | null) {
  return { fromMs: Math.max(fromMs, sinceMs ?? fromMs), toMs, isOfRows: sinceMs !== null };
}

function viewSums(sums: ReadonlyMap<string, LabelledSum>, seesCost: boolean): readonly UsageView[] {
  return [...sums.values()]
    .sort(compareSums)
    .map(({ labels, figures }) => ({ ...labels, ...figures.view(seesCost) }));
}

/** Returns the labels that no row has, because nothing is grouped by them. */
export function listUngrouped({ group_by = "day" }: Static<typeof usageQuery>): readonly string[] {
  const words = group_by.split(",");
  const some = { hourMs: 0, model: "", keyId: "", accountId: "", member: "", outcome: "" } as const;
  const more = { operation: "", surface: "", tag: "", selector: "", finding: "" };
  return Object.entries(GROUPS).flatMap(([name, [, label]]) =>
    words.includes(name) ? [] : Object.keys(label({ ...some, ...more }, "")),
  );
}

/** Returns both kinds of sums over the same requests. Times to the first token are not kept by tag. */
export async function listUsageSums(store: Pick<Store, "usage" | "firstTokens">, query: UsageQuery) {
  const { outcome = FIRST_TOKENS_OUTCOME, tag } = query.only ?? {};
  const hasTimes = outcome === FIRST_TOKENS_OUTCOME && tag === undefined && !query.groupBy.includes("tag");
  const [usage, firstTokens] = await Promise.all([
    store.usage(query),
    hasTimes ? store.firstTokens(query) : [],
  ]);
  return { usage, firstTokens };
}

function findOrAddSum(sums: Map<string, LabelledSum>, labels: UsageLabels): LabelledSum {
  return sums.getOrInsertComputed(JSON.stringify(labels), () => {
    if (sums.size < GROUPS_MAX) return { labels, figures: new Figures() };
    throw tooManyGroups();
  });
}

function tooManyGroups(): Fault {
  return invalidValue(
    "group_by",
    `the answer would have more than ${GROUPS_MAX} rows; use fewer groups, or a shorter time range`,
  );
}

/** Orders by day, then by falling cost. Labels break ties, so that the order is stable. */
function compareSums(a: LabelledSum, b: LabelledSum): number {
  const days = compare(nameTime(a.labels), nameTime(b.labels));
  const costs = b.figures.costNanoUsd - a.figures.costNanoUsd;
  return days || costs || compare(JSON.stringify(a.labels), JSON.stringify(b.labels));
}

function nameTime({ month, day, hour }: UsageLabels): string {
  return [month, day, hour].filter(Boolean).join(" ");
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
