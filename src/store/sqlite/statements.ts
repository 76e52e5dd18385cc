// The SQLite store's statements, each prepared once per connection; values are always bound, never part of the text.

import type { Database } from "bun:sqlite";
import type { RequestRecord } from "../../core/log/record.ts";
import type { FoundRow, Value } from "../columns/found.ts";
import type { Result, Statement } from "../engine/engine.ts";
import { composeAddEvent } from "../engine/recording.ts";
import { composeOverwrite, composeSum, insertSql, joinNames, updateSql, upsertSql } from "../engine/sql.ts";
import { keyByDigestSql } from "../keys/keys.ts";
import { RAISES } from "../limits/limit-requests.ts";
import { composeOpeningSums } from "../limits/openings.ts";
import { USUAL_CALLS, USUAL_LINES, USUAL_PAID, USUAL_REQUESTS } from "../log/usual-rows.ts";
import { CHECKOUT } from "../money/checkouts.ts";
import {
  CALL_SUM,
  CALL_SUMS,
  type CountedRow,
  FIRST_TOKEN,
  hasWork,
  omitWork,
  REQUEST,
  TAG_OF_DAY,
  TAG_USAGE,
  USAGE,
  USAGE_SUMS,
} from "../schema/log-tables.ts";
import {
  ACCOUNT,
  ACCOUNT_STATE,
  ENTRY,
  HOLD,
  KEY,
  METER,
  MOVEMENT,
  OWNER,
  REPLY,
  SPEND,
  type Table,
} from "../schema/tables.ts";
import {
  byKeySql,
  type KeyedTable,
  makeRowFinder,
  makeRowRemover,
  makeRowWriter,
  splitRows,
} from "./row-writer.ts";

export type Statements = ReturnType<typeof prepareStatements>;

const mark = () => "?";

export function prepareStatements(database: Database) {
  return {
    ...writeStatements(database),
    ...readStatements(database),
    run: (statement: Statement) => runStatement(database, statement),
  };
}

/** By statement, because asking it for the names of its columns makes a list of strings each time. */
const isWriting = new WeakMap<object, boolean>();

/** Runs any other statement; each is cached after its first use. */
export function runStatement(database: Database, { text, values }: Statement): Result {
  const statement = database.query<FoundRow, Value[]>(text);
  const writes = isWriting.get(statement) ?? statement.columnNames.length === 0;
  isWriting.set(statement, writes);
  const rows = writes ? [] : statement.all(...values);
  return Object.assign(rows, { count: writes ? statement.run(...values).changes : rows.length });
}

function find(database: Database, sql: string) {
  return database.prepare<FoundRow, Value[]>(sql);
}

/** Only a row that was given up as lost is ever replaced. */
function amendSql({ name, columns }: Pick<Table<never>, "name" | "columns">): string {
  const at = columns.indexOf("id") + 1;
  const values = columns.map((column, index) => `${column} = ?${index + 1}`);
  return `UPDATE ${name} SET ${joinNames(values)} WHERE id = ?${at} AND ended = 'lost'`;
}

/** Most requests are chats, which have the defaults of nearly half of the columns. */
function makeRequestWriter(database: Database) {
  const hasNoWork = (row: RequestRecord) => !hasWork(row);
  const writeOthers = splitRows(
    hasNoWork,
    makeRowWriter(database, omitWork(REQUEST)),
    makeRowWriter(database, REQUEST),
  );
  const writeUsual = ({ fits, part }: typeof USUAL_REQUESTS, others: typeof writeOthers) =>
    splitRows(fits, makeRowWriter(database, part), others);
  const writeFewer = writeUsual(USUAL_LINES, writeUsual(USUAL_CALLS, writeOthers));
  return writeUsual(USUAL_REQUESTS, writeUsual(USUAL_PAID, writeFewer));
}

function writeStatements(database: Database) {
  const write = (sql: string) => database.prepare<unknown, Value[]>(sql);
  const put = <Row>(table: Table<Row>) =>
    makeRowWriter(database, table, composeOverwrite(table.key, table.columns));
  const addUp = <Row>(table: Table<Row>, sums: readonly string[]) =>
    makeRowWriter(database, table, composeSum(table, sums));
  const addWork = <Row extends CountedRow>(table: Table<Row>, sums: readonly string[]) => {
    const part = omitWork(table);
    const left = sums.filter((column) => part.columns.includes(column));
    const addPart = makeRowWriter(database, part, composeSum(table, left));
    return splitRows<Row>((row) => !hasWork(row), addPart, addUp(table, sums));
  };
  return {
    begin: write("BEGIN IMMEDIATE"),
    beginReads: write("BEGIN"),
    commit: write("COMMIT"),
    rollback: write("ROLLBACK"),
    dataVersion: database.prepare<{ data_version: number }, []>("PRAGMA data_version"),
    setMoney: write(
      "UPDATE account SET balance_nano = ?, held_nano = ?, entries = ?, kept_characters = ? WHERE id = ?",
    ),
    setState: write(updateSql(ACCOUNT_STATE, (position) => `?${position}`)),
    putSpends: put(SPEND),
    putMeters: put(METER),
    putOwners: put(OWNER),
    putHolds: put(HOLD),
    removeHolds: makeRowRemover(database, HOLD),
    addEntries: makeRowWriter(database, ENTRY),
    addRequests: makeRequestWriter(database),
    amendRequest: write(amendSql(REQUEST)),
    putReplies: put(REPLY),
    removeReply: write(`DELETE FROM ${byKeySql(REPLY)}`),
    addMovement: write(insertSql(MOVEMENT, mark)),
    putCheckout: write(upsertSql(CHECKOUT, mark)),
    addEvent: write(composeAddEvent(mark)),
    addUsage: addWork(USAGE, USAGE_SUMS),
    addTagUsage: addUp(TAG_USAGE, USAGE_SUMS),
    addTagsOfDays: makeRowWriter(database, TAG_OF_DAY),
    addCalls: addWork(CALL_SUM, CALL_SUMS),
    addFirstTokens: addUp(FIRST_TOKEN, ["requests"]),
  };
}

function readStatements(database: Database) {
  const findByKey = (table: KeyedTable) => find(database, `SELECT * FROM ${byKeySql(table)}`);
  return {
    account: findByKey(ACCOUNT),
    key: findByKey(KEY),
    spend: findByKey(SPEND),
    meter: findByKey(METER),
    owner: findByKey(OWNER),
    hold: findByKey(HOLD),
    replies: makeRowFinder(database, REPLY),
    movement: findByKey(MOVEMENT),
    checkout: findByKey(CHECKOUT),
    request: find(database, "SELECT * FROM request WHERE id = ?"),
    memberRules: find(database, "SELECT rule_limits FROM member WHERE id = ?"),
    raises: find(database, `${RAISES.select} WHERE account_id = ? AND member_id = ? AND ${RAISES.where}`),
    tagsOfDay: find(database, "SELECT tag FROM tag_of_day WHERE account_id = ? AND day_ms = ?"),
    openingSums: find(
      database,
      composeOpeningSums((position) => `?${position}`),
    ),
    keyByDigest: find(
      database,
      keyByDigestSql((position) => `?${position}`),
    ),
  };
}
