// Writing a decision: every statement takes the account as $1 and a list for each column, whatever the number of rows.
import type { Decision, Gone } from "../../core/demand.ts";
import { bind } from "../engine.ts";
import type { Value } from "../found.ts";
import { FIRST_TOKEN, hasWork, leaveOutWork, REQUEST, USAGE, USAGE_SUMS } from "../log-tables.ts";
import { composeOverwrite, joinNames } from "../sql.ts";
import { ENTRY, HOLD, METER, REPLY, SLOT, SPEND, type Table, type TablePart, TOP_UP } from "../tables.ts";
import type { Query } from "./connection.ts";

const WHOLE_NUMBERS = new Set(
  `used given_back entries kept_characters seq attempts stream status searches requests errors bucket images seconds characters search_units pages keep_responses`.split(
    " ",
  ),
);

/** Amounts, moments, spans and counts are whole numbers, which lists of bigint refuse to round. */
function castValue(column: string): string {
  return WHOLE_NUMBERS.has(column) || /_(nano|ms|tokens)$/.test(column) ? "bigint" : "text";
}

/** One table's share of what is written. The account is not among its columns: it is $1 in every part. */
interface Part {
  readonly columns: readonly string[];
  /** The statement that writes the given rows. */
  readonly sql: (given: Given) => string;
  readonly rows: (decision: Decision, accountId: string) => readonly (readonly Value[])[];
}

/** The rows of a part as SQL. */
interface Given {
  /** The list of FROM; the rows are called `given` there. */
  readonly source: string;
  /** The expression for the account's id. */
  readonly account: string;
  /** The WHERE that names the account, if the source needs one. */
  readonly condition: string;
}

function insert<Row>(
  { name, columns, valuesOf }: TablePart<Row>,
  onConflict: string,
  rows: (decision: Decision) => readonly Row[],
): Part {
  const account = columns.indexOf("account_id");
  const others = columns.toSpliced(account, 1);
  return {
    columns: others,
    sql: (given) =>
      `INSERT INTO ${name} (account_id, ${joinNames(others)})
      SELECT ${given.account}, ${joinNames(others.map((column) => `given.${column}`))}
      FROM ${given.source} ${given.condition} ${onConflict}`,
    rows: (decision, accountId) =>
      rows(decision).map((row) => {
        const values = valuesOf(row);
        const [owner] = values.splice(account, 1);
        if (owner !== accountId) throw new Error(`A row of ${name} isn't of the account that was locked.`);
        return values;
      }),
  };
}

function upsert<Row>(table: Table<Row>, rows: (decision: Decision) => readonly Row[]): Part {
  return insert(table, composeOverwrite(table.key, table.columns), rows);
}

const MONEY_COLUMNS = ["balance_nano", "held_nano", "entries", "kept_characters"];
const MONEY: Part = {
  columns: MONEY_COLUMNS,
  sql: ({ source }) => `
    UPDATE account SET ${MONEY_COLUMNS.map((column) => `${column} = given.${column}`).join(", ")}
    FROM ${source} WHERE account.id = $1`,
  rows: ({ accounts }, accountId) =>
    accounts.map((row) => {
      if (row.id !== accountId) throw new Error("A balance isn't of the account that was locked.");
      return [row.balanceNanoUsd, row.heldNanoUsd, row.entries, row.keptCharacters];
    }),
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
  // Most requests are chats: the ten lists that they leave out would cost one busy account 4 % of its requests.
  [
    insert(leaveOutWork(REQUEST), "", ({ requests }) => requests.filter((row) => !hasWork(row))),
    insert(leaveOutWork(USAGE), ADD_UP, ({ usage }) => usage.filter((row) => !hasWork(row))),
  ],
  [
    insert(REQUEST, "", ({ requests }) => requests.filter(hasWork)),
    insert(USAGE, ADD_UP, ({ usage }) => usage.filter(hasWork)),
  ],
  [insert(FIRST_TOKEN, COUNT_UP, ({ firstTokens }) => firstTokens)],
  [upsert(REPLY, ({ replies }) => replies)],
  [insert(TOP_UP, "", ({ topUps }) => topUps)],
];

/**
 * Rows that go have their own statement, before the others: no engine promises in which order one statement
 * changes a table twice, and some refuse it.
 */
const REMOVE = `
  WITH hold_gone AS (DELETE FROM hold WHERE account_id = $1 AND id = ANY($2::text[])),
       reply_gone AS (DELETE FROM reply WHERE account_id = $1 AND id = ANY($3::text[]))
  SELECT 1`;

/**
 * The statements that write what was decided for one account, which is their $1 in every part, so that an engine that
 * keeps accounts apart sends each to one machine. On a single server one statement for all tables costs least. A
 * distributed engine gets a statement for each table: it would run the parts of one WITH one by one, keep what each gave,
 * and commit in two phases.
 */
export function composeWrites(
  accountId: string,
  decision: Decision,
  isDistributed: boolean,
): readonly Query[] {
  const { holdsGone, repliesGone } = decision;
  const queries: Query[] = [];
  if (holdsGone.length + repliesGone.length > 0) {
    queries.push(bind(REMOVE, accountId, idsOf(holdsGone), idsOf(repliesGone)));
  }
  const groups = GROUPS.map((group) => group.map((part) => ({ part, rows: part.rows(decision, accountId) })));
  const isWritten = groups.map((group) => group.some(({ rows }) => rows.length > 0));
  const parts = groups.filter((_, at) => isWritten[at]).flat();
  if (isDistributed) {
    const written = parts.filter(({ rows }) => rows.length > 0);
    queries.push(...written.map((one) => bind(composeApart(one.part), accountId, ...transpose(one))));
  } else if (parts.length > 0) {
    queries.push(bind(composeTogether(isWritten), accountId, ...parts.flatMap(transpose)));
  }
  return queries;
}

/** Every statement that `composeWrites` may send, for tests of their texts. */
export function listWriteTexts(isDistributed: boolean): readonly string[] {
  const written = isDistributed ? GROUPS.flat().map(composeApart) : [composeTogether(GROUPS.map(() => true))];
  return [REMOVE, ...written];
}

function idsOf(gone: readonly Gone[]): readonly string[] {
  return gone.map(({ id }) => id);
}

interface Written {
  readonly part: Part;
  readonly rows: readonly (readonly Value[])[];
}

/** A part's values, column by column. */
function transpose({ part, rows }: Written): readonly (readonly Value[])[] {
  return part.columns.map((_, column) => rows.map((row) => row[column] ?? null));
}

const together = new Map<string, string>();
const apart = new Map<Part, string>();

/** One statement that writes these groups. */
function composeTogether(isWritten: readonly boolean[]): string {
  const id = isWritten.join(" ");
  const known = together.get(id);
  if (known !== undefined) return known;
  let mark = 1;
  const parts = GROUPS.filter((_, at) => isWritten[at]).flat();
  const written = parts.map((part, at) => {
    const given = { source: writeSource(part, mark), account: "$1::text", condition: "" };
    mark += part.columns.length;
    return `part_${at} AS (${part.sql(given)})`;
  });
  const text = `WITH ${written.join(", ")} SELECT 1`;
  together.set(id, text);
  return text;
}

/**
 * The statement that writes one part. The account's own row stands beside the given ones, because a distributed engine
 * runs a statement where the table that it reads is.
 */
function composeApart(part: Part): string {
  const known = apart.get(part);
  if (known !== undefined) return known;
  const source = writeSource(part, 1);
  const text =
    part === MONEY
      ? part.sql({ source, account: "", condition: "" })
      : part.sql({
          source: `account AS whose, ${source}`,
          account: "whose.id",
          condition: "WHERE whose.id = $1",
        });
  apart.set(part, text);
  return text;
}

/** The given rows, with a list for each column, the first of them behind the parameter `after`. */
function writeSource({ columns }: Part, after: number): string {
  const lists = columns.map((column, at) => `$${after + 1 + at}::${castValue(column)}[]`);
  return `unnest(${lists.join(", ")}) AS given (${joinNames(columns)})`;
}
