// Usage summed over the log's rows, where it is grouped or narrowed by what the hourly sums don't keep.
import type { RowSum, RowSumsQuery } from "../../core/log/log-query.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { findOldestRow } from "../../ledger/replies.ts";

const GROUPS: ReadonlySet<string> = new Set(["selector", "finding"]);
const FILTERS = [
  "selector",
  "status",
  "session",
  "batch",
  "batch_id",
  "trace_id",
  "address",
  "q",
  "ended",
  "finding",
] as const;

interface RowQuery extends Partial<Record<(typeof FILTERS)[number], unknown>> {
  readonly group_by?: string;
}

export interface RowParts {
  readonly store: Pick<Store, "rowSums">;
  readonly clock: Pick<Clock, "nowMs">;
  /** For how long the log keeps rows (`log.keep`). */
  readonly keepMs: () => number;
}

/** Returns the time (Unix milliseconds) from which rows are kept if sums are made of them, or else null. */
export function findRowsStart(
  { clock, keepMs }: Pick<RowParts, "clock" | "keepMs">,
  query: RowQuery,
): number | null {
  const isGrouped = query.group_by?.split(",").some((group) => GROUPS.has(group)) ?? false;
  const isNeeded = isGrouped || FILTERS.some((name) => query[name] !== undefined);
  return isNeeded ? findOldestRow(clock.nowMs(), keepMs()) : null;
}

/** Returns both kinds of sums over the same rows. By tag, a request is in the sum of each of its tags. */
export async function listRowSums({ store }: Pick<RowParts, "store">, query: RowSumsQuery) {
  const sums = await store.rowSums(query);
  const usage = query.groupBy.includes("tag") ? sums.flatMap(listTags) : sums;
  const firstTokens = usage.flatMap((row) => (row.bucket === null ? [] : [{ ...row, bucket: row.bucket }]));
  return { usage, firstTokens };
}

function listTags(row: RowSum): readonly RowSum[] {
  return row.tag === "" ? [row] : row.tag.split(",").map((tag) => ({ ...row, tag }));
}
