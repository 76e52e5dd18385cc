// Writing a decision: one statement for all its tables, with a list for each column, whatever the number of rows.
import type { Decision, Gone } from "../../core/demand.ts";
import type { Value } from "../found.ts";
import { FIRST_TOKEN, REQUEST, USAGE, USAGE_SUMS } from "../log-tables.ts";
import { composeOverwrite, joinNames } from "../sql.ts";
import { ENTRY, HOLD, METER, REPLY, SLOT, SPEND, type Table, TOP_UP } from "../tables.ts";
import { type Query, query } from "./connection.ts";

const WHOLE_NUMBERS = new Set(
  `used given_back entries kept_characters seq attempts stream status searches requests errors bucket`.split(
    " ",
  ),
);

/** Amounts, moments, spans and counts are whole numbers, which lists of bigint refuse to round. */
export function castValue(column: string): string {
  return WHOLE_NUMBERS.has(column) || /_(nano|ms|tokens)$/.test(column) ? "bigint" : "text";
}

/** One table's share of the statement. */
interface Part {
  readonly columns: readonly string[];
  /** The statement for rows that come from `source`. */
  readonly sql: (source: string) => string;
  readonly rows: (decision: Decision) => readonly (readonly Value[])[];
}

function insert<Row>(
  { name, columns, valuesOf }: Pick<Table<Row>, "name" | "columns" | "valuesOf">,
  onConflict: string,
  rows: (decision: Decision) => readonly Row[],
): Part {
  return {
    columns,
    sql: (source) => `INSERT INTO ${name} (${joinNames(columns)}) SELECT * FROM ${source} ${onConflict}`,
    rows: (decision) => rows(decision).map(valuesOf),
  };
}

function upsert<Row>(table: Table<Row>, rows: (decision: Decision) => readonly Row[]): Part {
  return insert(table, composeOverwrite(table.key, table.columns), rows);
}

const MONEY_COLUMNS = ["id", "balance_nano", "held_nano", "entries", "kept_characters"];
const MONEY: Part = {
  columns: MONEY_COLUMNS,
  sql: (source) => `
    UPDATE account SET ${MONEY_COLUMNS.slice(1)
      .map((column) => `${column} = given.${column}`)
      .join(", ")}
    FROM ${source} AS given (${joinNames(MONEY_COLUMNS)}) WHERE account.id = given.id`,
  rows: ({ accounts }) =>
    accounts.map((row) => [row.id, row.balanceNanoUsd, row.heldNanoUsd, row.entries, row.keptCharacters]),
};

const ADD_UP = `ON CONFLICT (${joinNames(USAGE.key)}) DO UPDATE SET ${USAGE_SUMS.map(
  (column) => `${column} = ${USAGE.name}.${column} + excluded.${column}`,
).join(", ")}`;

const COUNT_UP = `ON CONFLICT (${joinNames(FIRST_TOKEN.key)}) DO UPDATE SET
  requests = ${FIRST_TOKEN.name}.requests + excluded.requests`;

/** Tables that are mostly written together; which groups a decision needs makes the statement, so there are few of them. */
const GROUPS: readonly (readonly Part[])[] = [
  [MONEY, upsert(SPEND, ({ spends }) => spends), insert(ENTRY, "", ({ entries }) => entries)],
  [upsert(METER, ({ meters }) => meters), upsert(SLOT, ({ slots }) => slots)],
  [upsert(HOLD, ({ holds }) => holds)],
  [insert(REQUEST, "", ({ requests }) => requests), insert(USAGE, ADD_UP, ({ usage }) => usage)],
  [insert(FIRST_TOKEN, COUNT_UP, ({ firstTokens }) => firstTokens)],
  [upsert(REPLY, ({ replies }) => replies)],
  [insert(TOP_UP, "", ({ topUps }) => topUps)],
];

/**
 * Rows that go have a statement of their own, before the others: no engine promises in which order one statement
 * changes a table twice, and some refuse it.
 */
const REMOVE = `
  WITH hold_gone AS (DELETE FROM hold WHERE account_id = $1 AND id = ANY($2::text[])),
       reply_gone AS (DELETE FROM reply WHERE account_id = $1 AND id = ANY($3::text[]))
  SELECT 1`;

/** The statements that write what was decided for one account. */
export function composeWrites(accountId: string, decision: Decision): readonly Query[] {
  const { holdsGone, repliesGone } = decision;
  const queries: Query[] = [];
  if (holdsGone.length + repliesGone.length > 0) {
    queries.push(query(REMOVE, accountId, idsOf(holdsGone), idsOf(repliesGone)));
  }
  const rows = GROUPS.map((group) => group.map((part) => part.rows(decision)));
  const isWritten = rows.map((group) => group.some(({ length }) => length > 0));
  const values = GROUPS.flatMap((group, at) => (isWritten[at] ? group.flatMap(listsOf(rows[at] ?? [])) : []));
  if (values.length > 0) queries.push(query(textFor(isWritten), ...values));
  return queries;
}

function idsOf(gone: readonly Gone[]): readonly string[] {
  return gone.map(({ id }) => id);
}

/** A part's values, column by column. */
function listsOf(rows: readonly (readonly (readonly Value[])[])[]) {
  return ({ columns }: Part, at: number): readonly (readonly Value[])[] =>
    columns.map((_, column) => (rows[at] ?? []).map((row) => row[column] ?? null));
}

const texts = new Map<string, string>();

/** The statement that writes these groups. */
function textFor(isWritten: readonly boolean[]): string {
  const id = isWritten.join(" ");
  const known = texts.get(id);
  if (known !== undefined) return known;
  const text = textOf(GROUPS.filter((_, at) => isWritten[at]).flat());
  texts.set(id, text);
  return text;
}

function textOf(parts: readonly Part[]): string {
  let mark = 0;
  const sources = parts.map(({ columns, sql }, at) => {
    const lists = columns.map((column) => `$${++mark}::${castValue(column)}[]`);
    return `part_${at} AS (${sql(`unnest(${lists.join(", ")})`)})`;
  });
  return `WITH ${sources.join(", ")} SELECT 1`;
}
