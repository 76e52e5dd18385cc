// Lists in the order of a value that the sender chose.
import type { SortedPage, SortedRow } from "../../core/world/page.ts";
import { type FoundRow, readSum, readText } from "../columns/found.ts";
import type { Engine } from "./engine.ts";
import type { Narrowing } from "./narrowing.ts";
import { joinNames, type NamedColumns } from "./sql.ts";

const COLUMN = "sort_value";

/** The value that a list is sorted by. */
export type SortValue =
  | {
      /** An expression. It is never null, since no row stands before or after null. */
      readonly value: string;
      /** True if an index has the rows in the order of the expression. */
      readonly isIndexed?: boolean;
    }
  | {
      /** A query of ids, `sum_of`, and their values, `of_row`, of which none is 0. All other rows have 0. */
      readonly sums: string;
    };

/** Returns one page, from the page's position on. Rows of the same value stand in the order of their ids. */
export function composeSorted(
  { omit }: Pick<Engine, "omit">,
  by: Narrowing,
  { name, columns }: NamedColumns,
  sorted: SortValue,
  page: SortedPage<string>,
): string {
  const direction = page.isDown ? "DESC" : "ASC";
  const byId = `id ${direction} LIMIT ${by.bind(page.limit)}`;
  const end = `ORDER BY ${COLUMN} ${direction}, ${byId}`;
  const compose = makePart(by, page);
  const names = joinNames(columns);
  if ("value" in sorted && sorted.isIndexed) return `${compose(sorted.value, names, name)} ${end}`;
  const wrap = (ids: string) =>
    `SELECT ${names}, ${COLUMN} FROM (SELECT id AS sort_id, ${COLUMN} FROM (${ids}) AS sorted) AS found
      CROSS JOIN ${name} WHERE id = sort_id ${end}`;
  // Only the ids of all rows are sorted: a sort of whole rows would be written to the disk.
  if ("value" in sorted) return wrap(`${compose(sorted.value, "id", name)} ${end}`);
  // The page is among the first rows with a sum and the first without one. An index has these in the order of their ids.
  const { from, condition } = omit(name, "id", { table: "sums", column: "sum_of" });
  const summed = `${compose("of_row", "id", `sums JOIN ${name} ON id = sum_of`)} ${end}`;
  const others = `${compose("CAST(0 AS BIGINT)", "id", from, condition)} ORDER BY ${byId}`;
  return `WITH sums AS MATERIALIZED (${sorted.sums})
    ${wrap(`SELECT * FROM (${summed}) AS summed UNION ALL SELECT * FROM (${others}) AS others`)}`;
}

/** Returns a function that composes a query of the rows from the page's position on. */
function makePart(by: Narrowing, { after, isDown }: SortedPage<string>) {
  const beyond = isDown ? "<" : ">";
  const from = after && by.bind(after.value);
  const id = after && by.bind(after.id);
  // SQLite enters an index of expressions by the first of these alone.
  const isBeyond = (value: string) =>
    `${value} ${beyond}= ${from} AND (${value}, id) ${beyond} (${from}, ${id})`;
  return (value: string, columns: string, table: string, condition?: string) => {
    const conditions = [by.isEmpty ? [] : by.where, after ? isBeyond(value) : [], condition ?? []].flat();
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    return `SELECT ${columns}, ${value} AS ${COLUMN} FROM ${table} ${where}`;
  };
}

/** Returns what reads a found row with the value that it is sorted by: a text if that is its name. */
export function readSorted<Row>(
  by: string,
  rowOf: (found: FoundRow) => Row,
): (found: FoundRow) => SortedRow<Row> {
  const readValue = by === "name" ? readText : readSum;
  return (found) => ({ row: rowOf(found), value: readValue(found, COLUMN) });
}
