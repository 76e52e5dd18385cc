// Writes a decision: every statement takes the account as $1 and one list per column, for any number of rows.
import type { Decision, DeletedRow } from "../../core/decision.ts";
import type { Account } from "../../core/keys/key.ts";
import type { SqlType } from "../engine/columns.ts";
import { bind } from "../engine/engine.ts";
import type { Value } from "../engine/found.ts";
import { composeOverwrite, composeSum, joinNames } from "../engine/sql.ts";
import { CHECKOUT } from "../money/checkouts.ts";
import {
  CALL_SUM,
  CALL_SUMS,
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
  EVENT,
  HOLD,
  METER,
  MOVEMENT,
  OWNER,
  omitColumns,
  pickColumns,
  REPLY,
  SPEND,
  type Table,
  type TablePart,
} from "../schema/tables.ts";
import type { Query } from "./connection.ts";

/** The types of the lists that statements take. A list of bigint refuses fractions instead of rounding them. */
const LIST_TYPES: Readonly<Record<SqlType, string>> = {
  text: "text[]",
  integer: "bigint[]",
  real: "double precision[]",
  bytes: "bytea[]",
};

type Lists = readonly (readonly Value[])[];

/** One table's part of a write. The account is not among its columns: it is always $1. */
interface Part {
  readonly columns: readonly string[];
  readonly types: readonly SqlType[];
  /** Returns the statement that writes the given rows. */
  readonly sql: (given: RowSource) => string;
  /** Returns the values of the rows by column. Null if there are none. */
  readonly listsOf: (decision: Decision, accountId: string) => Lists | null;
  /** Set if it updates rows, which name the account themselves. */
  readonly updates?: true;
}

/** A part's rows as SQL. */
interface RowSource {
  /** The FROM list; it calls the rows `given`. */
  readonly source: string;
  /** The expression for the account's id. */
  readonly account: string;
  /** The WHERE that selects the account, if the source needs one. */
  readonly condition: string;
}

function insert<Row extends { readonly accountId: string }>(
  table: TablePart<Row>,
  onConflict: string,
  rows: (decision: Decision) => readonly Row[],
): Part {
  const { name } = table;
  const others = omitColumns(table, ["account_id"]);
  const { columns, types } = others;
  return {
    columns,
    types,
    sql: (given) =>
      `INSERT INTO ${name} (account_id, ${joinNames(columns)})
      SELECT ${given.account}, ${joinNames(columns.map((column) => `given.${column}`))}
      FROM ${given.source} ${given.condition} ${onConflict}`,
    listsOf: (decision, accountId) =>
      writeLists(others, rows(decision), (row) => {
        if (row.accountId !== accountId)
          throw new Error(`A row of ${name} doesn't belong to the locked account.`);
      }),
  };
}

function writeLists<Row>(
  { columns, spread }: TablePart<Row>,
  rows: readonly Row[],
  check: (row: Row) => void,
): Lists | null {
  if (rows.length === 0) return null;
  const lists = columns.map((): Value[] => []);
  for (const row of rows) {
    check(row);
    spread(row, lists);
  }
  return lists;
}

function upsert<Row extends { readonly accountId: string }>(
  table: Table<Row>,
  rows: (decision: Decision) => readonly Row[],
): Part {
  return insert(table, composeOverwrite(table.key, table.columns), rows);
}

const MONEY_COLUMNS = ["balance_nano", "held_nano", "entries", "kept_characters"];

/** A statement may update a row only once, so an account's money is written together with its state if that changed. */
function update(part: TablePart<Account>, rows: (decision: Decision) => readonly Account[]): Part {
  const { columns, types } = part;
  return {
    updates: true,
    columns,
    types,
    sql: ({ source }) => `
    UPDATE account SET ${columns.map((column) => `${column} = given.${column}`).join(", ")}
    FROM ${source} WHERE account.id = $1`,
    listsOf: (decision, accountId) =>
      writeLists(part, rows(decision), (row) => {
        if (row.id !== accountId) throw new Error("A balance doesn't belong to the locked account.");
      }),
  };
}

const MONEY = update(pickColumns(ACCOUNT, MONEY_COLUMNS), ({ accounts, states }) =>
  states.length > 0 ? accounts.filter((account) => !states.includes(account)) : accounts,
);
const MONEY_AND_STATE = update(
  pickColumns(ACCOUNT, [...MONEY_COLUMNS, ...ACCOUNT_STATE.columns]),
  ({ states }) => states,
);

/** A distributed engine refuses to set the account, even to itself. */
const AMENDABLE = REQUEST.columns.filter((column) => !REQUEST.key.includes(column));
/** Only a row that was given up as lost is ever replaced. */
const AMENDED: Part = {
  updates: true,
  columns: REQUEST.columns,
  types: REQUEST.types,
  sql: ({ source }) => `
    UPDATE request SET ${joinNames(AMENDABLE.map((column) => `${column} = given.${column}`))}
    FROM ${source} WHERE request.account_id = $1 AND request.id = given.id AND request.ended = 'lost'`,
  listsOf: ({ requestsAmended }) => writeLists(REQUEST, requestsAmended, () => {}),
};

const ADD_UP = composeSum(USAGE, USAGE_SUMS);
const ADD_TAGS = composeSum(TAG_USAGE, USAGE_SUMS);
const ADD_CALLS = composeSum(CALL_SUM, CALL_SUMS);
const COUNT_UP = composeSum(FIRST_TOKEN, ["requests"]);

/** Tables usually written together. Each combination of groups is another statement, so there are few. */
const GROUPS: readonly (readonly Part[])[] = [
  [MONEY, upsert(SPEND, ({ spends }) => spends), insert(ENTRY, "", ({ entries }) => entries)],
  [upsert(METER, ({ meters }) => meters), upsert(OWNER, ({ owners }) => owners)],
  [upsert(HOLD, ({ holds }) => holds)],
  // Most requests are chats: ten more lists would cost a busy account 4% of its requests.
  [
    insert(omitWork(REQUEST), "", ({ requests }) => requests.filter((row) => !hasWork(row))),
    insert(omitWork(USAGE), ADD_UP, ({ usage }) => usage.filter((row) => !hasWork(row))),
    insert(omitWork(CALL_SUM), ADD_CALLS, ({ calls }) => calls.filter((row) => !hasWork(row))),
  ],
  [
    insert(REQUEST, "", ({ requests }) => requests.filter(hasWork)),
    insert(USAGE, ADD_UP, ({ usage }) => usage.filter(hasWork)),
    insert(CALL_SUM, ADD_CALLS, ({ calls }) => calls.filter(hasWork)),
  ],
  [
    insert(TAG_USAGE, ADD_TAGS, ({ tagUsage }) => tagUsage),
    insert(TAG_OF_DAY, "", ({ tagsOfDays }) => tagsOfDays),
  ],
  [insert(FIRST_TOKEN, COUNT_UP, ({ firstTokens }) => firstTokens)],
  [upsert(REPLY, ({ replies }) => replies)],
  [MONEY_AND_STATE, insert(MOVEMENT, "", ({ movements }) => movements)],
  [insert(EVENT, "ON CONFLICT (account_id, id) DO NOTHING", ({ events }) => events)],
  [AMENDED],
  [upsert(CHECKOUT, ({ checkouts }) => checkouts)],
];

/**
 * Deletions are a separate statement, run first: no engine defines the order in which one statement changes a table
 * twice, and some refuse it.
 */
const REMOVE = `
  WITH hold_gone AS (DELETE FROM hold WHERE account_id = $1 AND id = ANY($2::text[])),
       reply_gone AS (DELETE FROM reply WHERE account_id = $1 AND id = ANY($3::text[]))
  SELECT 1`;

const NONE: readonly Value[] = [];

/** The statements composed so far: for a combination of groups, and for a part. */
const together = new Map<string, string>();
const apart = new Map<Part, string>();

/**
 * Returns the statements that write one account's decision. The account is always $1, so an engine that shards by
 * account sends each to one machine. On a single server, one statement for all tables is cheapest. A distributed engine
 * gets one per table: it would run the parts of a single WITH one by one, store their results, and commit in two
 * phases.
 */
export function composeWrites(
  accountId: string,
  decision: Decision,
  isDistributed: boolean,
): readonly Query[] {
  const { holdsGone, repliesGone } = decision;
  const queries: Query[] = [];
  if (holdsGone.length + repliesGone.length > 0) {
    queries.push(bind(REMOVE, accountId, listIds(holdsGone), listIds(repliesGone)));
  }
  const groups = GROUPS.map((group) =>
    group.map((part) => ({ part, lists: part.listsOf(decision, accountId) })),
  );
  const isWritten = groups.map((group) => group.some(({ lists }) => lists !== null));
  const parts = groups.filter((_, at) => isWritten[at]).flat();
  if (isDistributed) {
    for (const { part, lists } of parts) {
      if (lists === null) continue;
      queries.push(bind(apart.getOrInsertComputed(part, composeApart), accountId, ...lists));
    }
  } else if (parts.length > 0) {
    const write = together.getOrInsertComputed(isWritten.join(" "), () => composeTogether(isWritten));
    queries.push(
      bind(write, accountId, ...parts.flatMap(({ part, lists }) => lists ?? part.columns.map(() => NONE))),
    );
  }
  return queries;
}

/** Returns every statement that `composeWrites` may send, for tests of their text. */
export function listWriteTexts(isDistributed: boolean): readonly string[] {
  const written = isDistributed ? GROUPS.flat().map(composeApart) : [composeTogether(GROUPS.map(() => true))];
  return [REMOVE, ...written];
}

function listIds(gone: readonly DeletedRow[]): readonly string[] {
  return gone.map(({ id }) => id);
}

/** Returns one statement that writes these groups. */
function composeTogether(isWritten: readonly boolean[]): string {
  let mark = 1;
  const parts = GROUPS.filter((_, at) => isWritten[at]).flat();
  const written = parts.map((part, at) => {
    const given = { source: writeSource(part, mark), account: "$1::text", condition: "" };
    mark += part.columns.length;
    return `part_${at} AS (${part.sql(given)})`;
  });
  return `WITH ${written.join(", ")} SELECT 1`;
}

/**
 * Returns the statement that writes one part. It joins the account's own row, because a distributed engine runs a
 * statement on the machine of the table that it reads.
 */
function composeApart(part: Part): string {
  const source = writeSource(part, 1);
  if (part.updates) return part.sql({ source, account: "", condition: "" });
  const joined = `account AS whose, ${source}`;
  return part.sql({ source: joined, account: "whose.id", condition: "WHERE whose.id = $1" });
}

/** Returns the given rows as one list per column, bound after parameter `after`. */
function writeSource({ columns, types }: Part, after: number): string {
  const lists = types.map((type, at) => `$${after + 1 + at}::${LIST_TYPES[type]}`);
  return `unnest(${lists.join(", ")}) AS given (${joinNames(columns)})`;
}
