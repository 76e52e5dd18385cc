// Sums over the log's rows, for what the hourly sums don't keep.

import type { RowDimension, RowSum, RowSumsQuery } from "../../core/log/log-query.ts";
import { CLIENT_GONE } from "../../core/log/record.ts";
import { BUCKET_ENDS } from "../../core/world/histogram.ts";
import { allowNull, INTEGER } from "../columns/columns.ts";
import { type FoundRow, readText } from "../columns/found.ts";
import type { Engine, Statement } from "../engine/engine.ts";
import { Narrowing, narrowRequests, ROW_OUTCOME } from "../engine/narrowing.ts";
import { joinNames } from "../engine/sql.ts";
import { USAGE, USAGE_SUMS } from "../schema/log-tables.ts";

const HOUR_MS = 3_600_000;

/** The model that a request counts under, as `findCountedModel` has it. */
const MODEL =
  "coalesce(model_used, CASE WHEN usage_source <> 'none' THEN model_tried END, model_planned, '')";

/** The column of each dimension, and its expression for a row. */
const DIMENSIONS: Readonly<Record<RowDimension, readonly [column: string, of: string]>> = {
  hour: ["hour_ms", `at_ms - at_ms % ${HOUR_MS}`],
  accountId: ["account_id", "account_id"],
  keyId: ["key_id", "key_id"],
  model: ["model", MODEL],
  operation: ["operation", "operation"],
  surface: ["surface", "surface"],
  member: ["member", "coalesce(member_id, '')"],
  outcome: ["outcome", ROW_OUTCOME],
  tag: ["tag", "coalesce(tags, '')"],
  selector: ["selector", "coalesce(selector, '')"],
  finding: ["finding", [0, 1, 2].map((at) => `(item.value->>${at})`).join(" || ' ' || ")],
};

/** The sums to which a row adds something other than the value of its own column of that name. */
const ADDED: Readonly<Record<string, string>> = {
  requests: "1",
  errors: `CASE WHEN status >= 400 AND status <> ${CLIENT_GONE} THEN 1 ELSE 0 END`,
  cached: "CASE WHEN cached_from IS NULL THEN 0 ELSE 1 END",
};

const SUMS = USAGE_SUMS.filter((column) => !column.startsWith("edge_"));

/** Finds the bucket of a streamed answer's first token in seven comparisons. */
const BUCKET = composeBucket(0, BUCKET_ENDS.length);
const TIMED = ["bucket", `CASE WHEN stream = 1 AND first_token_ms IS NOT NULL THEN ${BUCKET} END`] as const;

function composeBucket(from: number, to: number): string {
  if (from === to) return String(from);
  const middle = Math.floor((from + to) / 2);
  const below = composeBucket(from, middle);
  const above = composeBucket(middle + 1, to);
  return `CASE WHEN first_token_ms <= ${BUCKET_ENDS[middle]} THEN ${below} ELSE ${above} END`;
}

/** Rows are read once for both the sums and the times to the first token: a log of a million rows takes seconds. */
export function composeRowSums(
  { groupBy, only }: RowSumsQuery,
  { mark, asJson, itemsOf }: Pick<Engine, "mark" | "asJson" | "itemsOf">,
): Statement {
  const by = new Narrowing(mark);
  by.add("1 = 1");
  narrowRequests(by, only);
  const isByFinding = groupBy.includes("finding");
  if (isByFinding) by.add("guard IS NOT NULL");
  const found = `request WHERE ${by.where}`;
  // SQLite's table of items has an id too. A request is in the sum of each of its findings.
  const from = isByFinding
    ? `(SELECT * FROM ${found}) AS guarded CROSS JOIN ${itemsOf(asJson("guard"))}`
    : found;
  const grouped = [...groupBy.map((dimension) => DIMENSIONS[dimension]), TIMED];
  const names = grouped.map(([column]) => column);
  const added = SUMS.map((column) => [column, ADDED[column] ?? column] as const);
  const rows = [...grouped, ...added].map(([column, of]) => `${of} AS ${column}`);
  const others = Object.values(DIMENSIONS).flatMap(([column]) =>
    names.includes(column) ? [] : [`${column === "hour_ms" ? "0" : "''"} AS ${column}`],
  );
  // A provider is found by its models.
  const shown = [...names, ...others, "'' AS provider"];
  const totals = SUMS.map((column) => `coalesce(sum(${column}), 0) AS ${column}`);
  const text = `SELECT ${joinNames([...shown, ...totals])}
    FROM (SELECT ${joinNames(rows)} FROM ${from}) AS one
    GROUP BY ${joinNames(names)} ORDER BY ${joinNames(names)}`;
  return { text, values: by.values };
}

export function readRowSum(row: FoundRow): RowSum {
  return {
    ...USAGE.rowOf(row),
    selector: readText(row, "selector"),
    finding: readText(row, "finding"),
    bucket: allowNull(INTEGER).read(row, "bucket"),
  };
}
