// Requests as rows of a table, which several pages show.
import type { RequestView } from "../../admin/log/request-schema.ts";
import { makeUsdFormat, nameDay } from "../frame/format.ts";
import type { Names } from "../frame/names.ts";
import { navigate } from "../frame/route.ts";
import { List, type ListProps } from "../parts/table.tsx";
import { type ColumnName, listColumns, USUAL_COLUMNS } from "./request-columns.tsx";

interface RequestListProps extends Omit<ListProps<RequestView>, "columns" | "keyOf" | "onOpen"> {
  readonly names: Names;
  /** Missing if a click on a row opens its page. */
  readonly onPeek?: (id: string) => void;
  /** The row that is looked at beside the list. */
  readonly peeked?: string | null;
  /** The usual ones if missing. */
  readonly columns?: readonly ColumnName[];
}

let latest: readonly string[] = [];

/** The ids of the list that was shown last, newest first, so that one can go on from request to request. */
export function listLatest(): readonly string[] {
  return latest;
}

export function RequestList(props: RequestListProps) {
  const { names, onPeek, peeked = null, columns = USUAL_COLUMNS, ...list } = props;
  latest = list.of.data?.map(({ id }) => id) ?? [];
  const longestMs = findScale((list.of.data ?? []).map(({ total_ms }) => total_ms));
  const formatCost = makeUsdFormat((list.of.data ?? []).map(({ cost_usd }) => cost_usd));
  return (
    <List
      {...list}
      columns={listColumns(columns, { names, longestMs, formatCost })}
      keyOf={({ id }) => id}
      headingOf={({ at }) => nameDay(at)}
      onOpen={({ id }) => (onPeek ? onPeek(id) : navigate(`/activity/${id}`))}
      isMarked={({ id }) => id === peeked}
    />
  );
}

const SCALE_SHARE = 0.95;

/** One outlier would make all other bars dust, so the longest twentieth fills its bar. */
function findScale(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(sorted[Math.floor((sorted.length - 1) * SCALE_SHARE)] ?? 0, 1);
}
