// Reads the rows for decisions: one statement per table for all demands of one account.
import type { Reads, Rows } from "../../core/demand.ts";
import { makeMeterId } from "../../core/rows.ts";
import { bind } from "../engine.ts";
import { REQUEST } from "../log-tables.ts";
import { selectSql } from "../sql.ts";
import { ACCOUNT, HOLD, KEY, METER, REPLY, SLOT, SPEND, type Table, TOP_UP } from "../tables.ts";
import type { Query, Result } from "./connection.ts";

const OF_ACCOUNT = "WHERE account_id = $1";
const ACCOUNT_ROW = `${selectSql(ACCOUNT)} WHERE id = $1`;
const KEYS = `${selectSql(KEY)} WHERE id = ANY($1::text[])`;
const SPENDS = `${selectSql(SPEND)} ${OF_ACCOUNT} AND key_id = ANY($2::text[])`;
const METERS = `${selectSql(METER)} ${OF_ACCOUNT} AND owner = ANY($2::text[]) AND day = ANY($3::text[])`;
const SLOTS = `${selectSql(SLOT)} ${OF_ACCOUNT} AND owner = ANY($2::text[])`;
const byId = (table: Pick<Table<never>, "name" | "columns">) =>
  `${selectSql(table)} ${OF_ACCOUNT} AND id = ANY($2::text[])`;
const HOLDS = byId(HOLD);
const REQUESTS = byId(REQUEST);
const REPLIES = byId(REPLY);
const TOP_UPS = byId(TOP_UP);

/** The queries for some demands of one account, and the reader of their results. */
interface Reading {
  readonly queries: readonly Query[];
  readonly rowsOf: (results: readonly Result[]) => Rows;
}

/**
 * The first statement reads the account's row, and locks it if `lock` is set. Every change to an account locks that row
 * first, so changes are made one after the other. The others are separate statements because under READ COMMITTED each
 * sees what was committed before it began: joined with the first, they would show the state before the wait for the
 * lock, and a place or a dollar could be spent twice.
 */
export function composeReading(accountId: string, reads: readonly Reads[], lock: boolean): Reading {
  const queries: Query[] = [];
  const ask = (isWanted: boolean, text: string, ...values: Query["values"]): number =>
    isWanted ? queries.push(bind(text, ...values)) - 1 : -1;
  const keyIds = listed(reads.map(({ keyId }) => keyId));
  const owners = listed(reads.flatMap((read) => read.owners));
  const days = listed(reads.flatMap((read) => read.days));
  const requestIds = listed(reads.map(({ requestId }) => requestId));
  const replyIds = listed(reads.map(({ replyId }) => replyId));
  const topUpIds = listed(reads.map(({ topUpId }) => topUpId));
  const at = {
    account: ask(true, lock ? `${ACCOUNT_ROW} FOR UPDATE` : ACCOUNT_ROW, accountId),
    keys: ask(keyIds.length > 0, KEYS, keyIds),
    spends: ask(keyIds.length > 0, SPENDS, accountId, keyIds),
    meters: ask(days.length > 0, METERS, accountId, owners, days),
    slots: ask(owners.length > 0, SLOTS, accountId, owners),
    holds: ask(requestIds.length > 0, HOLDS, accountId, requestIds),
    requests: ask(requestIds.length > 0, REQUESTS, accountId, requestIds),
    replies: ask(replyIds.length > 0, REPLIES, accountId, replyIds),
    topUps: ask(topUpIds.length > 0, TOP_UPS, accountId, topUpIds),
  };
  const rowsOf = (results: readonly Result[]): Rows => ({
    accounts: byKey(ACCOUNT, results[at.account], ({ id }) => id),
    keys: byKey(KEY, results[at.keys], ({ id }) => id),
    spends: byKey(SPEND, results[at.spends], ({ keyId }) => keyId),
    meters: byKey(METER, results[at.meters], ({ owner, day }) => makeMeterId(owner, day)),
    slots: byKey(SLOT, results[at.slots], ({ owner }) => owner),
    holds: byKey(HOLD, results[at.holds], ({ id }) => id),
    requests: byKey(REQUEST, results[at.requests], ({ id }) => id),
    replies: byKey(REPLY, results[at.replies], ({ id }) => id),
    topUps: byKey(TOP_UP, results[at.topUps], ({ id }) => id),
  });
  return { queries, rowsOf };
}

/** Removes duplicates and nulls. */
function listed(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids)].filter((id) => id !== null);
}

function byKey<Row>(
  table: Table<Row>,
  found: Result | undefined,
  keyOf: (row: Row) => string,
): ReadonlyMap<string, Row | null> {
  return new Map((found ?? []).map(table.rowOf).map((row) => [keyOf(row), row]));
}
