// SQL shared by both engines, built from the tables' columns: values are always bound, never part of the text.
import type { Audit } from "../../core/books/audit.ts";
import { OWING_KINDS } from "../../core/books/movement.ts";
import type { Page } from "../../core/world/page.ts";
import { type FoundRow, readInteger, readSum, readText } from "../columns/found.ts";
import type { Table } from "../schema/tables.ts";

/** `?` for SQLite, `$1, $2 …` for PostgreSQL. */
export type Mark = (position: number) => string;

export function joinNames(columns: readonly string[]): string {
  return columns.join(", ");
}

/** Returns an index as a statement that creates it ends. `where` is a condition in the engine's words. */
export function describeIndex(
  {
    name,
    table,
    columns,
    isSparse,
  }: {
    readonly name: string;
    readonly table: string;
    readonly columns: readonly string[];
    readonly isSparse?: true;
  },
  where = isSparse ? `${columns[0]} IS NOT NULL` : undefined,
): string {
  return `${name} ON ${table} (${joinNames(columns)})${where === undefined ? "" : ` WHERE ${where}`}`;
}

/** A value as it stands in a statement. Only for the schema's own constants. */
export function quoteLiteral(value: string | number): string {
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

export function joinMarks(count: number, mark: Mark): string {
  return Array.from({ length: count }, (_, at) => mark(at + 1)).join(", ");
}

/** The values of some rows of the same width. */
export function joinTuples(rows: number, width: number, mark: Mark): string {
  const tuple = (row: number) => `(${joinMarks(width, (position) => mark(row * width + position))})`;
  return Array.from({ length: rows }, (_, row) => tuple(row)).join(", ");
}

/** A table of any type of row. */
type AnyTable = Pick<Table<never>, "name" | "key" | "columns">;

export type NamedColumns = Pick<AnyTable, "name" | "columns">;

export function selectSql({ name, columns }: NamedColumns): string {
  return `SELECT ${joinNames(columns)} FROM ${name}`;
}

/** Values: the id, then those of the columns. */
export const updateSql = keepTexts(({ name, columns }: NamedColumns, mark) => {
  const changed = columns.map((column, at) => `${column} = ${mark(at + 2)}`);
  return `UPDATE ${name} SET ${joinNames(changed)} WHERE id = ${mark(1)}`;
});

export function insertSql(table: NamedColumns, mark: Mark, rows = 1): string {
  return rows === 1 ? insertOne(table, mark) : composeInsert(table, mark, rows);
}

export const upsertSql = keepTexts(
  (table: AnyTable, mark) => `${insertOne(table, mark)} ${composeOverwrite(table.key, table.columns)}`,
);

const insertOne = keepTexts((table: NamedColumns, mark) => composeInsert(table, mark, 1));

function composeInsert({ name, columns }: NamedColumns, mark: Mark, rows: number): string {
  return `INSERT INTO ${name} (${joinNames(columns)}) VALUES ${joinTuples(rows, columns.length, mark)}`;
}

/** Each change opens the statements of all subjects, so a text is composed once for its table and engine. */
function keepTexts<T extends object>(compose: (table: T, mark: Mark) => string) {
  const kept = new WeakMap<Mark, WeakMap<T, string>>();
  return (table: T, mark: Mark): string => {
    const texts = kept.get(mark) ?? new WeakMap<T, string>();
    const text = texts.get(table) ?? compose(table, mark);
    kept.set(mark, texts.set(table, text));
    return text;
  };
}

/** The update of an upsert: every column outside the key takes its new value. */
export function composeOverwrite(key: readonly string[], columns: readonly string[]): string {
  const others = columns.filter((column) => !key.includes(column));
  const updates = others.map((column) => `${column} = excluded.${column}`);
  return `ON CONFLICT (${joinNames(key)}) DO UPDATE SET ${joinNames(updates)}`;
}

/** The update of an upsert that adds to these columns. */
export function composeSum({ name, key }: AnyTable, columns: readonly string[]): string {
  const sums = columns.map((column) => `${column} = ${name}.${column} + excluded.${column}`);
  return `ON CONFLICT (${joinNames(key)}) DO UPDATE SET ${joinNames(sums)}`;
}

/** Values: a time and a number of rows. Deletes the oldest rows from before the time. */
export function pruneSql(table: string, mark: Mark): string {
  return `DELETE FROM ${table} WHERE (account_id, id) IN
    (SELECT account_id, id FROM ${table} WHERE at_ms < ${mark(1)} ORDER BY at_ms LIMIT ${mark(2)})`;
}

const FIRST_AMOUNTS = [
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "searches",
  "cost_nano",
  "charged_nano",
];

/** Returns the columns of what a request used and cost, as the engines' first schemas declare them. */
export function declareAmounts(type: "INTEGER" | "BIGINT"): string {
  return FIRST_AMOUNTS.map((name) => `${name} ${type} NOT NULL`).join(",\n    ");
}

/** The condition that an entry's leg of overrun is the account's debt. */
export const OWING = `kind IN (${OWING_KINDS.map(quoteLiteral).join(", ")})`;

/**
 * Each account's row with the sums of its journal and its open holds. Totals are added up from these rows: a
 * distributed engine shows a consistent snapshot of each account but not of all machines. No entry spans accounts, so
 * the totals are always right.
 */
export const AUDIT_ACCOUNTS = `
  SELECT account.id, account.balance_nano, account.held_nano, account.entries,
    coalesce(journal.entries, 0) AS journal_entries,
    coalesce(journal.balance, 0) AS journal_balance,
    coalesce(journal.held, 0) AS journal_held,
    coalesce(journal.broken, 0) AS broken_entries,
    coalesce(journal.funding, '0') AS funding,
    coalesce(journal.revenue, '0') AS revenue,
    coalesce(journal.overrun, '0') AS overrun,
    account.receivable_nano,
    coalesce(journal.receivable, 0) AS receivable,
    coalesce(open_hold.held, 0) AS open_holds
  FROM account
  LEFT JOIN (
    SELECT account_id, count(*) AS entries, sum(balance_nano) AS balance, sum(held_nano) AS held, sum(broken) AS broken,
      CAST(sum(funding_nano) AS TEXT) AS funding,
      CAST(sum(revenue_nano) AS TEXT) AS revenue,
      CAST(sum(CASE WHEN is_owing = 0 THEN overrun_nano ELSE 0 END) AS TEXT) AS overrun,
      sum(CASE WHEN is_owing = 1 THEN overrun_nano ELSE 0 END) AS receivable
    FROM (
      SELECT account_id, balance_nano, held_nano, funding_nano, revenue_nano, overrun_nano,
        CASE WHEN ${OWING} THEN 1 ELSE 0 END AS is_owing,
        CASE WHEN balance_after_nano = balance_nano + coalesce(lag(balance_after_nano) OVER journal_of, 0)
              AND seq = 1 + coalesce(lag(seq) OVER journal_of, 0)
             THEN 0 ELSE 1 END AS broken
      FROM entry WINDOW journal_of AS (PARTITION BY account_id ORDER BY seq)
    ) AS checked GROUP BY account_id
  ) AS journal ON journal.account_id = account.id
  LEFT JOIN (SELECT account_id, sum(held_nano) AS held FROM hold GROUP BY account_id) AS open_hold
    ON open_hold.account_id = account.id
  ORDER BY account.id`;

/** Entries without an account. */
export const AUDIT_STRAY = `
  SELECT count(*) AS entries,
    CAST(coalesce(sum(funding_nano), 0) AS TEXT) AS funding,
    CAST(coalesce(sum(revenue_nano), 0) AS TEXT) AS revenue,
    CAST(coalesce(sum(overrun_nano), 0) AS TEXT) AS overrun
  FROM entry LEFT JOIN account ON account.id = entry.account_id WHERE account.id IS NULL`;

/** Adds up texts, because the sums may exceed the safe integers. */
export function readAudit(found: readonly FoundRow[], stray: FoundRow): Omit<Audit, "limits"> {
  const accounts = found.map(readAccountAudit);
  const add = (column: string) =>
    [...found, stray].reduce((total, row) => total + BigInt(readText(row, column)), 0n);
  return {
    accounts,
    balances: accounts.reduce((total, { balanceNanoUsd }) => total + BigInt(balanceNanoUsd), 0n),
    held: accounts.reduce((total, { heldNanoUsd }) => total + BigInt(heldNanoUsd), 0n),
    system: {
      funding: add("funding"),
      revenue: add("revenue"),
      overrun: add("overrun"),
      receivable: accounts.reduce((total, row) => total + BigInt(row.journalReceivableNanoUsd), 0n),
    },
    strayEntries: readInteger(stray, "entries"),
  };
}

function readAccountAudit(row: FoundRow) {
  return {
    id: readText(row, "id"),
    balanceNanoUsd: readInteger(row, "balance_nano"),
    heldNanoUsd: readInteger(row, "held_nano"),
    entries: readInteger(row, "entries"),
    receivableNanoUsd: readInteger(row, "receivable_nano"),
    journalReceivableNanoUsd: readSum(row, "receivable"),
    journalEntries: readInteger(row, "journal_entries"),
    journalBalanceNanoUsd: readInteger(row, "journal_balance"),
    journalHeldNanoUsd: readInteger(row, "journal_held"),
    openHoldsNanoUsd: readInteger(row, "open_holds"),
    brokenEntries: readInteger(row, "broken_entries"),
  };
}

/** Returns the text for a pattern of LIKE with ESCAPE '\\', where it stands for itself. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/**
 * Returns the end of the time range in which a page lies. Only by the range does SQLite find the page's first row at once:
 * by the position, it reads all rows before it.
 */
export function endPage(toMs: number, { after }: Page): number {
  return after === null ? toMs : Math.min(toMs, after.atMs + 1);
}
