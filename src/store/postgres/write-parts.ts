// The tables that decisions write, and the parts of statements that write them, for any number of rows.
import type { Decision, DeletedRow } from "../../core/decision.ts";
import type { Account } from "../../core/keys/key.ts";
import type { SqlType } from "../columns/columns.ts";
import type { Value } from "../columns/found.ts";
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

/** One list of values per column. */
export type Lists = readonly (readonly Value[])[];

/** The accounts of a transaction, which are locked. */
export type Accounts = ReadonlySet<string>;

/** A statement that writes some rows. */
export interface WriteStatement {
  readonly columns: readonly string[];
  readonly types: readonly SqlType[];
  /** Returns the statement. `source` is what stands after FROM: it calls the rows `given`. `lists` are those of its columns. */
  readonly sql: (source: string, lists: readonly string[]) => string;
  /** Returns the values of the rows by column. Null if there are none. */
  readonly listsOf: (decision: Decision, accounts: Accounts) => Lists | null;
}

/**
 * One table's part of a write: as part of a statement for any number of accounts, and as a statement for one, which is $1,
 * so that an engine that shards by account sends it to one machine.
 */
export interface Part {
  readonly together: WriteStatement;
  readonly apart: WriteStatement;
}

function insert<Row extends { readonly accountId: string }>(
  table: TablePart<Row>,
  onConflict: string,
  rows: (decision: Decision) => readonly Row[],
): Part {
  const { name } = table;
  const others = omitColumns(table, ["account_id"]);
  const list =
    (part: TablePart<Row>): WriteStatement["listsOf"] =>
    (decision, accounts) =>
      writeLists(part, rows(decision), ({ accountId }) => {
        if (!accounts.has(accountId)) throw new Error(`A row of ${name} doesn't belong to a locked account.`);
      });
  const given = (columns: readonly string[]) => joinNames(columns.map((column) => `given.${column}`));
  return {
    together: {
      ...table,
      sql: (source) =>
        `INSERT INTO ${name} (${joinNames(table.columns)}) SELECT ${given(table.columns)} FROM ${source} ${onConflict}`,
      listsOf: list(table),
    },
    // It joins the account's own row, because a distributed engine runs a statement on the machine of the table that it reads.
    apart: {
      ...others,
      sql: (source) =>
        `INSERT INTO ${name} (account_id, ${joinNames(others.columns)}) SELECT whose.id, ${given(others.columns)}
        FROM account AS whose, ${source} WHERE whose.id = $1 ${onConflict}`,
      listsOf: list(others),
    },
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
function update(changed: readonly string[], rows: (decision: Decision) => readonly Account[]): Part {
  const part = pickColumns(ACCOUNT, changed);
  const named = pickColumns(ACCOUNT, ["id", ...changed]);
  const setSql = (source: string) =>
    `UPDATE account SET ${joinNames(part.columns.map((column) => `${column} = given.${column}`))} FROM ${source}`;
  const list =
    (listed: TablePart<Account>): WriteStatement["listsOf"] =>
    (decision, accounts) =>
      writeLists(listed, rows(decision), ({ id }) => {
        if (!accounts.has(id)) throw new Error("A balance doesn't belong to a locked account.");
      });
  const at = named.columns.indexOf("id");
  return {
    together: {
      ...named,
      // The list is named once more, since accounts are found by it: a join may be planned as a scan of all of them.
      sql: (source, lists) =>
        `${setSql(source)} WHERE account.id = given.id AND account.id = ANY(${lists[at]})`,
      listsOf: list(named),
    },
    apart: { ...part, sql: (source) => `${setSql(source)} WHERE account.id = $1`, listsOf: list(part) },
  };
}

const MONEY = update(MONEY_COLUMNS, ({ accounts, states }) =>
  states.length > 0 ? accounts.filter((account) => !states.includes(account)) : accounts,
);
const MONEY_AND_STATE = update([...MONEY_COLUMNS, ...ACCOUNT_STATE.columns], ({ states }) => states);

/** A distributed engine refuses to set the account, even to itself. */
const AMENDABLE = REQUEST.columns.filter((column) => !REQUEST.key.includes(column));
const AMEND = `UPDATE request SET ${joinNames(AMENDABLE.map((column) => `${column} = given.${column}`))} FROM`;
const IF_LOST = "request.id = given.id AND request.ended = 'lost'";
const listAmended: WriteStatement["listsOf"] = ({ requestsAmended }) =>
  writeLists(REQUEST, requestsAmended, () => {});
/** Only a row that was given up as lost is ever replaced. */
const AMENDED: Part = {
  together: {
    ...REQUEST,
    sql: (source) => `${AMEND} ${source} WHERE request.account_id = given.account_id AND ${IF_LOST}`,
    listsOf: listAmended,
  },
  apart: {
    ...REQUEST,
    sql: (source) => `${AMEND} ${source} WHERE request.account_id = $1 AND ${IF_LOST}`,
    listsOf: listAmended,
  },
};

const ADD_UP = composeSum(USAGE, USAGE_SUMS);
const ADD_TAGS = composeSum(TAG_USAGE, USAGE_SUMS);
const ADD_CALLS = composeSum(CALL_SUM, CALL_SUMS);
const COUNT_UP = composeSum(FIRST_TOKEN, ["requests"]);

/** Tables usually written together. Each combination of groups is another statement, so there are few. */
export const GROUPS: readonly (readonly Part[])[] = [
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
 * Deletes rows within the one statement: no decision both deletes a row and writes it. They are found one by one by their
 * index: a join may be planned as a scan of the table.
 */
function remove(table: string, rows: (decision: Decision) => readonly DeletedRow[]): WriteStatement {
  return {
    columns: ["account_id", "id"],
    types: ["text", "text"],
    sql: (source) => `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
      SELECT row.at FROM ${source} CROSS JOIN LATERAL (
        SELECT ctid AS at FROM ${table} WHERE account_id = given.account_id AND id = given.id OFFSET 0
      ) AS row))`,
    listsOf: (decision, accounts) => {
      const gone = rows(decision);
      if (gone.length === 0) return null;
      for (const { accountId } of gone)
        if (!accounts.has(accountId))
          throw new Error(`A row of ${table} doesn't belong to a locked account.`);
      return [gone.map(({ accountId }) => accountId), listIds(gone)];
    },
  };
}

/** The groups of the one statement. */
export const TOGETHER: readonly (readonly WriteStatement[])[] = [
  [remove("hold", ({ holdsGone }) => holdsGone)],
  [remove("reply", ({ repliesGone }) => repliesGone)],
  ...GROUPS.map((group) => group.map((part) => part.together)),
];

export function listIds(gone: readonly DeletedRow[]): readonly string[] {
  return gone.map(({ id }) => id);
}
