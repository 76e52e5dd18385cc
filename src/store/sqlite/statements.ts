// The SQLite store's statements, each prepared once per connection; values are always bound, never part of the text.
import type { Database } from "bun:sqlite";
import type { Result, Statement } from "../engine.ts";
import type { Found, Value } from "../found.ts";
import { FIRST_TOKEN, REQUEST, USAGE, USAGE_SUMS } from "../log-tables.ts";
import { composeSum, insertSql, upsertSql } from "../sql.ts";
import { ACCOUNT, ENTRY, HOLD, KEY, METER, REPLY, SLOT, SPEND, type Table, TOP_UP } from "../tables.ts";

export type Statements = ReturnType<typeof prepare>;

const mark = () => "?";

export function prepare(database: Database) {
  return {
    ...writeStatements(database),
    ...readStatements(database),
    /** Runs any other statement; each is cached after its first use. */
    run: ({ text, values }: Statement): Result => {
      const statement = database.query<Found, Value[]>(text);
      const writes = statement.columnNames.length === 0;
      const rows = writes ? [] : statement.all(...values);
      return Object.assign(rows, { count: writes ? statement.run(...values).changes : rows.length });
    },
  };
}

function byKeySql(table: Pick<Table<never>, "key">): string {
  return `${table.key.map((column) => `${column} = ?`).join(" AND ")}`;
}

function writeStatements(database: Database) {
  const write = (sql: string) => database.prepare<unknown, Value[]>(sql);
  return {
    begin: write("BEGIN IMMEDIATE"),
    commit: write("COMMIT"),
    rollback: write("ROLLBACK"),
    dataVersion: database.prepare<{ data_version: number }, []>("PRAGMA data_version"),
    setMoney: write(
      "UPDATE account SET balance_nano = ?, held_nano = ?, entries = ?, kept_characters = ? WHERE id = ?",
    ),
    putSpend: write(upsertSql(SPEND, mark)),
    putMeter: write(upsertSql(METER, mark)),
    putSlot: write(upsertSql(SLOT, mark)),
    putHold: write(upsertSql(HOLD, mark)),
    removeHold: write(`DELETE FROM hold WHERE ${byKeySql(HOLD)}`),
    addEntry: write(insertSql(ENTRY, mark)),
    addRequest: write(insertSql(REQUEST, mark)),
    putReply: write(upsertSql(REPLY, mark)),
    removeReply: write(`DELETE FROM reply WHERE ${byKeySql(REPLY)}`),
    addTopUp: write(insertSql(TOP_UP, mark)),
    addUsage: write(`${insertSql(USAGE, mark)} ${composeSum(USAGE, USAGE_SUMS)}`),
    addFirstToken: write(`${insertSql(FIRST_TOKEN, mark)} ${composeSum(FIRST_TOKEN, ["requests"])}`),
  };
}

/** Each returns the row, or null if there is none. */
function readStatements(database: Database) {
  const find = <Row>({ name, rowOf }: Table<Row>, condition: string) => {
    const statement = database.prepare<Found, Value[]>(`SELECT * FROM ${name} WHERE ${condition}`);
    return (...values: Value[]): Row | null => {
      const found = statement.get(...values);
      return found === null ? null : rowOf(found);
    };
  };
  const findByKey = <Row>(table: Table<Row>) => find(table, byKeySql(table));
  return {
    account: findByKey(ACCOUNT),
    key: findByKey(KEY),
    spend: findByKey(SPEND),
    meter: findByKey(METER),
    slot: findByKey(SLOT),
    hold: findByKey(HOLD),
    reply: findByKey(REPLY),
    topUp: findByKey(TOP_UP),
    request: find(REQUEST, "id = ?"),
    keyByDigest: find(KEY, "digest = ?"),
  };
}
