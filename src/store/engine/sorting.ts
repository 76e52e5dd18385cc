// Lists in the order of a value that the sender chose.
import type { SortedPage, SortedRow } from "../../core/world/page.ts";
import { type FoundRow, readSum, readText } from "./found.ts";
import type { Narrowing } from "./narrowing.ts";
import { joinNames, type NamedColumns } from "./sql.ts";

const COLUMN = "sort_value";

/** The value that a list is sorted by. */
export interface SortValue {
  /** The expression. It is never null, since no row stands before or after null. */
  readonly value: string;
  /** Tables that the expression needs besides the list's own. */
  readonly join?: string;
  /** True if an index has the rows in the order of the expression. */
  readonly isIndexed?: boolean;
}

/** Returns one page, from the page's position on. Rows of the same value stand in the order of their ids. */
export function composeSorted(
  by: Narrowing,
  { name, columns }: NamedColumns,
  { value, join = "" }: SortValue,
  { limit, after, isDown }: SortedPage<string>,
): string {
  const [beyond, direction] = isDown ? ["<", "DESC"] : [">", "ASC"];
  if (after) {
    const from = by.bind(after.value);
    const id = by.bind(after.id);
    // SQLite enters an index of expressions by the first of these alone.
    by.add(`${value} ${beyond}= ${from} AND (${value}, id) ${beyond} (${from}, ${id})`);
  }
  const where = by.isEmpty ? "" : `WHERE ${by.where}`;
  return `SELECT ${joinNames(columns)}, ${value} AS ${COLUMN} FROM ${name} ${join} ${where}
    ORDER BY ${COLUMN} ${direction}, id ${direction} LIMIT ${by.bind(limit)}`;
}

/** Returns what reads a found row with the value that it is sorted by: a text if that is its name. */
export function readSorted<Row>(
  by: string,
  rowOf: (found: FoundRow) => Row,
): (found: FoundRow) => SortedRow<Row> {
  const readValue = by === "name" ? readText : readSum;
  return (found) => ({ row: rowOf(found), value: readValue(found, COLUMN) });
}
