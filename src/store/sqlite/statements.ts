// Every statement of the SQLite store, prepared once per connection; values are only ever bound, never written into the text.
import type { Database } from "bun:sqlite";
import type { SystemAccount } from "../../core/rows.ts";
import { CONTENT, CREDENTIAL, SESSION } from "../console-tables.ts";
import type { Found, Value } from "../found.ts";
import { FIRST_TOKEN, LESSON, REQUEST, USAGE, USAGE_SUMS } from "../log-tables.ts";
import { keyUsesSql, LAST_HOUR, type Lookup } from "../narrowing.ts";
import {
  AUDIT_ACCOUNTS,
  AUDIT_STRAY,
  boundLessonsSql,
  composeOverwrite,
  joinMarks,
  joinNames,
} from "../sql.ts";
import { ACCOUNT, ENTRY, HOLD, KEY, METER, REPLY, SLOT, SPEND, type Table, TOP_UP } from "../tables.ts";

export type Statements = ReturnType<typeof prepare>;

/** The rows that may have been written after one that ended later: what dead nodes left is resolved 500 at once. */
const WRITTEN_SINCE_MAX = 500;

const mark = () => "?";

export function prepare(database: Database) {
  return {
    ...decisionStatements(database),
    ...lookingStatements(database),
    ...tableStatements(database),
    ...bookStatements(database),
    ...consoleStatements(database),
    /** Those that are narrowed; each is kept once it was asked for. */
    look: ({ text, values }: Lookup) => database.query<Found, Value[]>(text).all(...values),
    /** Runs a change in the same way. Returns the number of rows. */
    change: ({ text, values }: Lookup) => database.query<unknown, Value[]>(text).run(...values).changes,
  };
}

/** A statement that gives no rows. */
function change(database: Database, sql: string) {
  return database.prepare<unknown, Value[]>(sql);
}

function find(database: Database, sql: string) {
  return database.prepare<Found, Value[]>(sql);
}

/** A table whose rows don't matter here, only its columns. */
type AnyTable = Pick<Table<never>, "name" | "key" | "columns">;

function insertSql({ name, columns }: AnyTable): string {
  return `INSERT INTO ${name} (${joinNames(columns)}) VALUES (${joinMarks(columns.length, mark)})`;
}

function upsertSql(table: AnyTable): string {
  return `${insertSql(table)} ${composeOverwrite(table.key, table.columns)}`;
}

function byKeySql(table: AnyTable): string {
  return `${table.name} WHERE ${table.key.map((column) => `${column} = ?`).join(" AND ")}`;
}

const ADD_USAGE = `
  ${insertSql(USAGE)} ON CONFLICT (${joinNames(USAGE.key)})
  DO UPDATE SET ${USAGE_SUMS.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`;

/** Statements that write decisions. */
function decisionStatements(database: Database) {
  const write = (sql: string) => change(database, sql);
  return {
    begin: write("BEGIN IMMEDIATE"),
    commit: write("COMMIT"),
    rollback: write("ROLLBACK"),
    dataVersion: database.prepare<{ data_version: number }, []>("PRAGMA data_version"),
    setMoney: write(
      "UPDATE account SET balance_nano = ?, held_nano = ?, entries = ?, kept_characters = ? WHERE id = ?",
    ),
    putSpend: write(upsertSql(SPEND)),
    putMeter: write(upsertSql(METER)),
    putSlot: write(upsertSql(SLOT)),
    putHold: write(upsertSql(HOLD)),
    removeHold: write(`DELETE FROM ${byKeySql(HOLD)}`),
    addEntry: write(insertSql(ENTRY)),
    addRequest: write(insertSql(REQUEST)),
    putReply: write(upsertSql(REPLY)),
    removeReply: write(`DELETE FROM ${byKeySql(REPLY)}`),
    addTopUp: write(insertSql(TOP_UP)),
    addUsage: write(ADD_USAGE),
    addFirstToken: write(
      `${insertSql(FIRST_TOKEN)} ON CONFLICT (${joinNames(FIRST_TOKEN.key)}) DO UPDATE SET requests = requests + excluded.requests`,
    ),
  };
}

/** Statements that read for decisions. */
function lookingStatements(database: Database) {
  const look = (table: AnyTable) => find(database, `SELECT * FROM ${byKeySql(table)}`);
  return {
    account: look(ACCOUNT),
    key: look(KEY),
    spend: look(SPEND),
    meter: look(METER),
    slot: look(SLOT),
    hold: look(HOLD),
    reply: look(REPLY),
    topUp: look(TOP_UP),
    request: find(database, "SELECT * FROM request WHERE id = ?"),
  };
}

/** One page of a table that lists from the newest: takes the position's moment and id, and the limit. */
function pageSql({ name }: AnyTable): string {
  return `SELECT * FROM ${name} WHERE (created_at_ms, id) < (?, ?) ORDER BY created_at_ms DESC, id DESC LIMIT ?`;
}

/** Statements of the administration and the key holders' pages. */
function tableStatements(database: Database) {
  const write = (sql: string) => change(database, sql);
  return {
    keyByDigest: find(database, "SELECT * FROM gateway_key WHERE digest = ?"),
    /** The time of its last use, only to the hour. */
    keyUse: find(database, keyUsesSql("id = ?1", "?2", "?3", LAST_HOUR)),
    /** The hours that a key's requests began in, from the latest: takes the key, and the moments between which they begin. */
    hoursOfKey: database.prepare<{ hour_ms: number }, [string, number, number]>(
      "SELECT DISTINCT hour_ms FROM usage_hour WHERE key_id = ? AND hour_ms > ? AND hour_ms <= ? ORDER BY hour_ms DESC",
    ),
    /** The row of the log that is so many further back: takes the moments between which to look, and the number. */
    rowFurther: database.prepare<{ at_ms: number }, [number, number, number]>(
      "SELECT at_ms FROM request WHERE at_ms >= ? AND at_ms < ? ORDER BY at_ms DESC LIMIT 1 OFFSET ?",
    ),
    addKey: write(
      `INSERT INTO gateway_key (${joinNames([...KEY.columns, "digest"])}) VALUES (${joinMarks(KEY.columns.length + 1, mark)})`,
    ),
    changeKey: write(
      `UPDATE gateway_key SET name = ?, expires_at_ms = ?, allowed_models = ?, requests_per_day = ?,
         spend_limit_nano = ?, keep_responses = ? WHERE id = ?`,
    ),
    revokeKey: write("UPDATE gateway_key SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?"),

    accounts: find(database, pageSql(ACCOUNT)),
    addAccount: write(insertSql(ACCOUNT)),
    renameAccount: write("UPDATE account SET name = ? WHERE id = ?"),

    /** Rows are written as requests end, so that the latest are among the last; but what was lost comes late. */
    endedSince: find(
      database,
      `SELECT * FROM (SELECT * FROM request ORDER BY rowid DESC LIMIT ?2 + ${WRITTEN_SINCE_MAX})
       WHERE ended_at_ms >= ?1 ORDER BY ended_at_ms DESC LIMIT ?2`,
    ),
    pruneRequests: write(
      "DELETE FROM request WHERE id IN (SELECT id FROM request WHERE at_ms < ? ORDER BY at_ms LIMIT ?)",
    ),
    pruneMeters: write("DELETE FROM meter WHERE last_at_ms < ?"),
    oldReplies: find(
      database,
      "SELECT account_id, id, coalesce(length(sealed), 0) AS characters FROM reply WHERE at_ms < ? AND state <> 'pending' ORDER BY at_ms LIMIT ?",
    ),
    keptCharacters: find(database, "SELECT coalesce(sum(kept_characters), 0) AS characters FROM account"),
    freeCharacters: write("UPDATE account SET kept_characters = max(0, kept_characters - ?) WHERE id = ?"),

    setting: database.prepare<{ value: string }, [string]>("SELECT value FROM setting WHERE name = ?"),
    keepSetting: write("INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"),
    setSetting: write(
      "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    ),
  };
}

/** Journals, holds that were left behind, sums. */
function bookStatements(database: Database) {
  return {
    holdNodes: database.prepare<{ node: string }, []>("SELECT DISTINCT node FROM hold"),
    holdsOfNode: find(database, "SELECT * FROM hold WHERE node = ? LIMIT ?"),
    journal: find(database, "SELECT * FROM entry WHERE account_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?"),
    /** Takes the position's moment, account and number, and the limit. */
    systemJournal: (account: SystemAccount) =>
      find(
        database,
        `SELECT * FROM entry WHERE ${account}_nano <> 0 AND (at_ms, account_id, seq) < (?, ?, ?)
         ORDER BY at_ms DESC, account_id DESC, seq DESC LIMIT ?`,
      ),
    systemBalance: (account: SystemAccount) =>
      find(database, `SELECT CAST(coalesce(sum(${account}_nano), 0) AS TEXT) AS balance FROM entry`),
    auditAccounts: find(database, AUDIT_ACCOUNTS),
    auditStray: find(database, AUDIT_STRAY),
    countLessons: find(
      database,
      "SELECT count(*) AS lessons FROM lesson WHERE key_id = ? AND model = ? AND source = ? AND at_ms >= ?",
    ),
    lesson: find(database, `SELECT * FROM ${byKeySql(LESSON)}`),
    teach: change(database, upsertSql(LESSON)),
    boundLessons: change(database, boundLessonsSql(mark)),
    pruneLessons: change(
      database,
      "DELETE FROM lesson WHERE rowid IN (SELECT rowid FROM lesson WHERE at_ms < ? LIMIT ?)",
    ),
    dropLesson: change(database, "DELETE FROM lesson WHERE account_id = ? AND id = ?"),
    lessons: find(database, "SELECT * FROM lesson WHERE at_ms >= ? ORDER BY at_ms, id LIMIT ?"),
    forgetLessons: change(database, "DELETE FROM lesson WHERE ? IS NULL OR model = ?"),
    forgetLabels: change(
      database,
      `UPDATE lesson SET marks = (
        SELECT json_group_array(json(value)) FROM json_each(lesson.marks) WHERE json_extract(value, '$[0]') <> ?
      ) WHERE source = 'label' AND instr(marks, ?)`,
    ),
    forgetEmpty: change(database, "DELETE FROM lesson WHERE marks = '[]'"),
    chargedSince: find(
      database,
      "SELECT coalesce(sum(charged_nano), 0) AS charged FROM usage_hour WHERE key_id = ? AND hour_ms > ? AND charged_nano > 0",
    ),
  };
}

/** Sign-ins to the console, logged prompts and answers, and credentials that were added at run time. */
function consoleStatements(database: Database) {
  const write = (sql: string) => change(database, sql);
  return {
    addContent: write(`${insertSql(CONTENT)} ON CONFLICT (account_id, id) DO NOTHING`),
    content: find(database, "SELECT sealed FROM content WHERE account_id = ? AND id = ?"),
    pruneContents: write(
      "DELETE FROM content WHERE rowid IN (SELECT rowid FROM content WHERE at_ms < ? ORDER BY at_ms LIMIT ?)",
    ),
    forgetSessions: write("DELETE FROM session WHERE expires_at_ms <= ?"),
    addSession: write(insertSql(SESSION)),
    session: find(database, "SELECT * FROM session WHERE digest = ?"),
    endSession: write("DELETE FROM session WHERE digest = ?"),
    credentials: find(database, "SELECT * FROM credential ORDER BY created_at_ms, id"),
    putCredential: write(upsertSql(CREDENTIAL)),
    removeCredential: write("DELETE FROM credential WHERE id = ?"),
  };
}
