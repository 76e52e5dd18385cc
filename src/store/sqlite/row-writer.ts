// Writes the rows of one table, many by one statement.
import type { Database } from "bun:sqlite";
import type { Value } from "../engine/found.ts";
import { insertSql } from "../engine/sql.ts";
import type { TablePart } from "../schema/tables.ts";

/** The most rows of one statement. A request's row has 48 values, and SQLite takes 32,766 of them. */
const ROWS_MAX = 16;

/** Bun takes the values as one array too, which its types don't say: as arguments, hundreds of them take a third longer. */
interface Writer {
  run(values: readonly Value[]): void;
}

/** Writes rows. */
type WriteRows<Row> = (rows: readonly Row[]) => void;

/** Writes the rows that fit by `writeFitting`, as most or all do, and the others by `writeOthers`. */
export function splitRows<Row>(
  fits: (row: Row) => boolean,
  writeFitting: WriteRows<Row>,
  writeOthers: WriteRows<Row>,
): WriteRows<Row> {
  return (rows) => {
    const fitting = countFitting(rows, fits);
    if (fitting === rows.length) writeFitting(rows);
    else if (fitting === 0) writeOthers(rows);
    else {
      writeFitting(rows.filter((row) => fits(row)));
      writeOthers(rows.filter((row) => !fits(row)));
    }
  };
}

function countFitting<Row>(rows: readonly Row[], fits: (row: Row) => boolean): number {
  let count = 0;
  for (const row of rows) if (fits(row)) count++;
  return count;
}

/**
 * Returns a function that inserts rows with statements of 16, 8, 4, 2 and 1 rows, each prepared at its first use. With ten
 * requests in a transaction, one statement for each row takes a twentieth more of the store's CPU.
 */
export function makeRowWriter<Row>(
  database: Database,
  table: TablePart<Row>,
  onConflict = "",
): WriteRows<Row> {
  const statements = new Map<number, Writer>();
  const prepare = (count: number) =>
    database.prepare(`${insertSql(table, () => "?", count)} ${onConflict}`) as unknown as Writer;
  return (rows) => {
    const [only] = rows;
    if (rows.length === 1 && only !== undefined) {
      statements.getOrInsertComputed(1, prepare).run(table.valuesOf(only));
      return;
    }
    for (let at = 0, count = ROWS_MAX; at < rows.length; at += count) {
      while (at + count > rows.length) count /= 2;
      const values: Value[] = [];
      for (const row of rows.slice(at, at + count)) table.append(row, values);
      statements.getOrInsertComputed(count, prepare).run(values);
    }
  };
}
