// Lookups of the hourly sums, grouped and narrowed as a question asks.
import type { BusiestKeys, UsageDimension, UsageFilter, UsageQuery } from "../../core/log/log-query.ts";
import { UNTAGGED } from "../../core/log/tags.ts";
import { type FoundRow, readInteger, readText } from "../columns/found.ts";
import type { Statement } from "../engine/engine.ts";
import { composeProvider, Narrowing } from "../engine/narrowing.ts";
import { USE_ROWS } from "../engine/scope.ts";
import { joinNames, type Mark } from "../engine/sql.ts";
import { FIRST_TOKEN, TAG_USAGE, USAGE, USAGE_SUMS } from "../schema/log-tables.ts";

const DIMENSION_COLUMNS: Readonly<Record<UsageDimension, string>> = {
  hour: "hour_ms",
  accountId: "account_id",
  keyId: "key_id",
  model: "model",
  operation: "operation",
  surface: "surface",
  provider: "provider",
  outcome: "outcome",
  member: "member",
  tag: "tag",
};

const KEY_DIMENSIONS = ["keyId", "accountId"] as const;

/** Times to the first token are kept by key, which is one person's for good. */
const MEMBER_OF_KEY = "coalesce((SELECT member_id FROM gateway_key WHERE gateway_key.id = key_id), '')";

/**
 * Sums over a time range, grouped by some dimensions. By tag, or narrowed to one, requests with tags are summed in another
 * table, where each is counted under all of them.
 */
export function usageLookups(query: UsageQuery, mark: Mark): readonly Statement[] {
  const { only = {}, groupBy } = query;
  const source = { always: [], lacks: [], sums: USAGE_SUMS, memberOf: "member" };
  const look = (table: string, tag: string | undefined) =>
    sumsLookup({ ...source, table }, { ...query, only: { ...only, tag } }, mark);
  if (only.tag === undefined && !groupBy.includes("tag")) return [look(USAGE.name, undefined)];
  const untagged = look(USAGE.name, "");
  if (only.tag === UNTAGGED) return [untagged];
  const tagged = look(TAG_USAGE.name, only.tag);
  return only.tag === undefined ? [tagged, untagged] : [tagged];
}

/** The sums of the keys with the most requests, each with the number of all. */
export function busiestKeysLookup(query: Omit<UsageQuery, "groupBy">, most: number, mark: Mark): Statement {
  const source = { table: USAGE.name, always: [], lacks: [], sums: ["requests"], memberOf: "member" };
  const { text, values } = sumsLookup(source, { ...query, groupBy: KEY_DIMENSIONS }, mark);
  return {
    text: `SELECT key_id, account_id, requests, count(*) OVER () AS total FROM (${text}) AS one
      ORDER BY requests DESC, key_id, account_id LIMIT ${mark(values.length + 1)}`,
    values: [...values, most],
  };
}

export function readBusiestKeys(found: readonly FoundRow[]): BusiestKeys {
  const [first] = found;
  const keys = found.map((row) => ({
    keyId: readText(row, "key_id"),
    accountId: readText(row, "account_id"),
    requests: readInteger(row, "requests"),
  }));
  return { total: first === undefined ? 0 : readInteger(first, "total"), keys };
}

/** The count of each bucket over a time range, grouped likewise. */
export function firstTokensLookup(query: UsageQuery, mark: Mark): Statement {
  const lacks = ["provider", "outcome", "tag"] as const;
  const { only: { outcome: _outcome, ...only } = {} } = query;
  const source = {
    table: FIRST_TOKEN.name,
    always: ["bucket"],
    lacks,
    sums: ["requests"],
    memberOf: MEMBER_OF_KEY,
  };
  return sumsLookup(source, { ...query, only }, mark);
}

/** A table of sums: the columns that are always grouped by, the dimensions that it lacks, and the columns that are summed. */
interface SumsTable {
  readonly table: string;
  readonly always: readonly string[];
  readonly lacks: readonly UsageDimension[];
  readonly sums: readonly string[];
  /** The expression for a row's member. */
  readonly memberOf: string;
}

function sumsLookup(
  { table, always, lacks, sums, memberOf }: SumsTable,
  { fromMs, toMs, groupBy, only = {} }: UsageQuery,
  mark: Mark,
): Statement {
  const by = new Narrowing(mark);
  by.by(fromMs, (at) => `hour_ms >= ${at}`);
  by.by(toMs, (at) => `hour_ms < ${at}`);
  narrowUsage(by, only);
  const wanted = groupBy.filter((dimension) => !lacks.includes(dimension));
  const grouped = [...wanted.map((dimension) => DIMENSION_COLUMNS[dimension]), ...always];
  const shown = Object.values(DIMENSION_COLUMNS).map((column) =>
    grouped.includes(column)
      ? `${column === "member" ? memberOf : column} AS ${column}`
      : `${column === "hour_ms" ? "0" : "''"} AS ${column}`,
  );
  const added = sums.map((column) => `coalesce(sum(${column}), 0) AS ${column}`);
  const order = joinNames(grouped.map((column) => (column === "member" ? memberOf : column)));
  const tail = grouped.length > 0 ? `GROUP BY ${order} ORDER BY ${order}` : "";
  const columns = joinNames([...shown, ...always, ...added]);
  // A request that is settled late leaves the sum in which it counted as lost, which may then be empty.
  const text = `SELECT ${columns} FROM ${table} WHERE ${by.where} AND requests <> 0 ${tail}`;
  return { text, values: by.values };
}

function narrowUsage(by: Narrowing, filter: UsageFilter): void {
  const { accountId, keyId, model, provider, operation, surface, outcome, tag } = filter;
  by.within(filter.scope, USE_ROWS);
  by.equal({ account_id: accountId, key_id: keyId, model, operation, surface, outcome, tag });
  if (filter.keyIds !== undefined) {
    const ids = filter.keyIds.map((id) => by.bind(id));
    by.add(ids.length === 0 ? "1 = 0" : `key_id IN (${ids.join(", ")})`);
  }
  by.by(filter.memberId, (at) => `key_id IN (SELECT id FROM gateway_key WHERE member_id = ${at})`);
  if (provider !== undefined) by.add(composeProvider(by, "model", provider));
}
