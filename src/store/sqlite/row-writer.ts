// Writes the rows of one table, many by one statement, and finds or removes them in the same way.
import type { Database } from "bun:sqlite";
import type { FoundRow, Value } from "../columns/found.ts";
import { insertSql, joinMarks } from "../engine/sql.ts";
import type { Table, TablePart } from "../schema/tables.ts";

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

/** The key of a row that belongs to an account. */
interface RowKey {
  readonly accountId: string;
  readonly id: string;
}

export type KeyedTable = Pick<Table<never>, "name" | "key">;

/** Returns a function that removes the rows with these keys, by statements as above. */
export function makeRowRemover(database: Database, table: KeyedTable): (keys: readonly RowKey[]) => void {
  const removeOne = database.prepare<unknown, Value[]>(`DELETE FROM ${byKeySql(table)}`);
  const removers = new Map<number, typeof removeOne>();
  const prepare = (count: number): typeof removeOne =>
    database.prepare(`DELETE FROM ${byKeysSql(table, count)}`);
  return (keys) => {
    const [only] = keys;
    if (only === undefined) return;
    if (keys.length === 1) removeOne.run(only.accountId, only.id);
    else runParts(keys, (count, values) => removers.getOrInsertComputed(count, prepare).run(...values));
  };
}

/** Returns a function that finds the rows with these keys, in any order. */
export function makeRowFinder(
  database: Database,
  table: KeyedTable,
): (keys: readonly RowKey[]) => readonly FoundRow[] {
  const findOne = database.prepare<FoundRow, Value[]>(`SELECT * FROM ${byKeySql(table)}`);
  const finders = new Map<number, typeof findOne>();
  const prepare = (count: number): typeof findOne =>
    database.prepare(`SELECT * FROM ${byKeysSql(table, count)}`);
  return (keys) => {
    const [only] = keys;
    if (keys.length === 1 && only !== undefined) return findOne.all(only.accountId, only.id);
    const found: FoundRow[] = [];
    runParts(keys, (count, values) => {
      found.push(...finders.getOrInsertComputed(count, prepare).all(...values));
    });
    return found;
  };
}

export function byKeySql({ name, key }: KeyedTable): string {
  return `${name} WHERE ${key.map((column) => `${column} = ?`).join(" AND ")}`;
}

/** One account's rows: a list of pairs would take half as long again. */
function byKeysSql({ name, key: [account, id] }: KeyedTable, count: number): string {
  return `${name} WHERE ${account} = ? AND ${id} IN (${joinMarks(count, () => "?")})`;
}

function runParts(keys: readonly RowKey[], run: (count: number, values: readonly Value[]) => void): void {
  for (let at = 0, count = 0; at < keys.length; at += count) {
    count = countPart(keys, at);
    const part = keys.slice(at, at + count);
    const values: Value[] = [part[0]?.accountId ?? null];
    for (const { id } of part) values.push(id);
    run(count, values);
  }
}

/** Returns how many rows from there on are found by one statement: those of the same account. */
function countPart(keys: readonly RowKey[], from: number): number {
  const accountId = keys[from]?.accountId;
  let same = 1;
  while (same < ROWS_MAX && keys[from + same]?.accountId === accountId) same++;
  let count = ROWS_MAX;
  while (count > same) count /= 2;
  return count;
}
