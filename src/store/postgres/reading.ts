// Reads the rows for decisions: one statement per table for all demands of one account.
import type { Rows } from "../../core/decision.ts";
import type { Reads } from "../../core/demand.ts";
import { makeOpeningId, type Opening } from "../../core/limits/opening.ts";
import { Cell, Pages } from "../../core/pages.ts";
import { makeTagDayId } from "../../core/rows.ts";
import { bind } from "../engine/engine.ts";
import { readInteger, readText } from "../engine/found.ts";
import { selectSql } from "../engine/sql.ts";
import { raisesSql, readRaise } from "../limits/limit-requests.ts";
import { readRules } from "../limits/member-columns.ts";
import { composeOpeningSums, listOpeningValues, readModelSum } from "../limits/openings.ts";
import { CHECKOUT } from "../money/checkouts.ts";
import { REQUEST, TAG_OF_DAY } from "../schema/log-tables.ts";
import { ACCOUNT, HOLD, KEY, METER, MOVEMENT, OWNER, REPLY, SPEND, type Table } from "../schema/tables.ts";
import type { Query, Result } from "./connection.ts";

const OF_ACCOUNT = "WHERE account_id = $1";
const ACCOUNT_ROW = `${selectSql(ACCOUNT)} WHERE id = $1`;
/** Read after the account's lock, so that the decisions of all nodes on an account are in the order of time. */
const CLOCK = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now_ms";
const SUMS = composeOpeningSums(
  (position) => ["$1", "$2::bigint", "$3::bigint", "$4::text", "$5::text"][position - 1] ?? "",
);
const KEYS = `${selectSql(KEY)} WHERE id = ANY($1::text[])`;
const RAISES = raisesSql("$1", "member_id = ANY($2::text[])");
const MEMBERS = `SELECT id, rule_limits FROM member WHERE id = ANY($1::text[])`;
const SPENDS = `${selectSql(SPEND)} ${OF_ACCOUNT} AND key_id = ANY($2::text[])`;
const METERS = `${selectSql(METER)} ${OF_ACCOUNT} AND owner = ANY($2::text[]) AND day = ANY($3::text[])`;
const OWNERS = `${selectSql(OWNER)} ${OF_ACCOUNT} AND owner = ANY($2::text[])`;
const byId = (table: Pick<Table<never>, "name" | "columns">) =>
  `${selectSql(table)} ${OF_ACCOUNT} AND id = ANY($2::text[])`;
const HOLDS = byId(HOLD);
const REQUESTS = byId(REQUEST);
const REPLIES = byId(REPLY);
const TAGS_OF_DAYS = `${selectSql(TAG_OF_DAY)} ${OF_ACCOUNT} AND day_ms = ANY($2::bigint[])`;
const MOVEMENTS = byId(MOVEMENT);
const CHECKOUTS = byId(CHECKOUT);

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
  const memberIds = listed(reads.map(({ memberId = null }) => memberId));
  const owners = listed(reads.flatMap((read) => read.owners));
  const days = listed(reads.flatMap((read) => read.days));
  const requestIds = listed(reads.map(({ requestId }) => requestId));
  const replyIds = listed(reads.map(({ replyId }) => replyId));
  const movementIds = listed(reads.map(({ movementId }) => movementId));
  const checkoutIds = listed(reads.map(({ checkoutId = null }) => checkoutId));
  const tagDays = [...new Set(reads.flatMap(({ tagDayMs }) => tagDayMs ?? []))];
  const at = {
    account: ask(true, lock ? `${ACCOUNT_ROW} FOR UPDATE` : ACCOUNT_ROW, accountId),
    clock: ask(true, CLOCK),
    keys: ask(keyIds.length > 0, KEYS, keyIds),
    members: ask(memberIds.length > 0, MEMBERS, memberIds),
    raises: ask(memberIds.length > 0, RAISES, accountId, memberIds),
    spends: ask(keyIds.length > 0, SPENDS, accountId, keyIds),
    meters: ask(days.length > 0, METERS, accountId, owners, days),
    owners: ask(owners.length > 0, OWNERS, accountId, owners),
    holds: ask(requestIds.length > 0, HOLDS, accountId, requestIds),
    requests: ask(requestIds.length > 0, REQUESTS, accountId, requestIds),
    replies: ask(replyIds.length > 0, REPLIES, accountId, replyIds),
    movements: ask(movementIds.length > 0, MOVEMENTS, accountId, movementIds),
    checkouts: ask(checkoutIds.length > 0, CHECKOUTS, accountId, checkoutIds),
    tags: ask(tagDays.length > 0, TAGS_OF_DAYS, accountId, tagDays),
  };
  const openings = [...new Map(listOpenings(reads)).values()].map((opening) => ({
    opening,
    at: ask(true, SUMS, ...listOpeningValues(accountId, opening)),
  }));
  return { queries, rowsOf: (results) => readRows(accountId, at, openings, results) };
}

/** Each name's place among the queries. −1 if it isn't asked. */
type Places = Readonly<
  Record<
    | ("account" | "clock" | "keys" | "members" | "raises" | "spends" | "meters" | "owners" | "holds")
    | ("requests" | "replies" | "movements" | "checkouts" | "tags"),
    number
  >
>;

function readRows(
  accountId: string,
  at: Places,
  openings: readonly { readonly opening: Opening; readonly at: number }[],
  results: readonly Result[],
): Rows {
  return {
    nowMs: readInteger(results[at.clock]?.[0] ?? {}, "now_ms"),
    sums: new Map(
      openings.map((one) => [makeOpeningId(one.opening), (results[one.at] ?? []).map(readModelSum)]),
    ),
    accounts: makeCells(byKey(ACCOUNT, results[at.account], ({ id }) => id)),
    page: readPages(accountId, at, results),
    keys: byKey(KEY, results[at.keys], ({ id }) => id),
    holds: makeCells(byKey(HOLD, results[at.holds], ({ id }) => id)),
    requests: byKey(REQUEST, results[at.requests], ({ id }) => id),
    replies: byKey(REPLY, results[at.replies], ({ id }) => id),
    movements: byKey(MOVEMENT, results[at.movements], ({ id }) => id),
    checkouts: byKey(CHECKOUT, results[at.checkouts], ({ id }) => id),
    tagsOfDays: readTagsOfDays(results[at.tags]),
  };
}

/** Returns the pages of the account's owners. A row that wasn't found is missing there. */
function readPages(accountId: string, at: Places, results: readonly Result[]): Rows["page"] {
  const { find } = new Pages(new Map());
  for (const found of results[at.spends] ?? []) {
    const spend = SPEND.rowOf(found);
    find(accountId, spend.keyId).spend.fill(spend);
  }
  for (const found of results[at.owners] ?? []) {
    const state = OWNER.rowOf(found);
    find(accountId, state.owner).state.fill(state);
  }
  for (const found of results[at.meters] ?? []) {
    const meter = METER.rowOf(found);
    find(accountId, meter.owner).meter(meter.day).fill(meter);
  }
  const raises = Map.groupBy(results[at.raises] ?? [], (found) => readText(found, "member_id"));
  for (const found of results[at.members] ?? []) {
    const id = readText(found, "id");
    const terms = { rules: readRules(found), raises: (raises.get(id) ?? []).map(readRaise) };
    find(accountId, id).terms.fill(terms);
  }
  return find;
}

function makeCells<Row extends object>(rows: ReadonlyMap<string, Row | null>): Map<string, Cell<Row>> {
  return new Map(Array.from(rows, ([id, row]) => [id, new Cell<Row>().fill(row)]));
}

function readTagsOfDays(found: Result | undefined): ReadonlyMap<string, ReadonlySet<string>> {
  const days = Map.groupBy((found ?? []).map(TAG_OF_DAY.rowOf), ({ accountId, dayMs }) =>
    makeTagDayId(accountId, dayMs),
  );
  return new Map([...days].map(([id, tags]) => [id, new Set(tags.map(({ tag }) => tag))]));
}

function listOpenings(reads: readonly Reads[]): readonly (readonly [id: string, opening: Opening])[] {
  return reads.flatMap(({ openings = [] }) => openings.map((one) => [makeOpeningId(one), one] as const));
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
