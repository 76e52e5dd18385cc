// Reads the rows for decisions: the accounts under their locks, then almost everything else in one statement.
import type { Rows } from "../../core/decision.ts";
import type { Reads } from "../../core/demand.ts";
import { makeOpeningId } from "../../core/limits/opening.ts";
import { Cell, Pages } from "../../core/pages.ts";
import { makeRowId, makeTagDayId } from "../../core/rows.ts";
import { type FoundRow, readInteger, readText } from "../columns/found.ts";
import { readRules } from "../columns/member-columns.ts";
import { bind } from "../engine/engine.ts";
import { selectSql } from "../engine/sql.ts";
import { readRaise } from "../limits/limit-requests.ts";
import { composeOpeningSums, listOpeningValues, readModelSum } from "../limits/openings.ts";
import { CHECKOUT } from "../money/checkouts.ts";
import { REQUEST, TAG_OF_DAY } from "../schema/log-tables.ts";
import { ACCOUNT, HOLD, KEY, METER, MOVEMENT, OWNER, REPLY, SPEND, type Table } from "../schema/tables.ts";
import type { Query, Result } from "./connection.ts";
import { composeApart, composeTogether, type FoundRows } from "./read-parts.ts";

/** The longest that a transaction of several accounts waits for a lock: the others wait with the one that is locked. */
const BRIEF_MS = 100;

/**
 * `none`: nothing is locked. `wait`: waits as long as any statement may. `briefly`: gives up after `BRIEF_MS`. `free`: locks only
 * the accounts that nobody else has locked.
 */
export type Lock = "none" | "wait" | "briefly" | "free";

const ONE = `${selectSql(ACCOUNT)} WHERE id = $1`;
const SEVERAL = `${selectSql(ACCOUNT)} WHERE id = ANY($1::text[])`;
/** All lock in the same order, so that no two wait for each other. */
const IN_ORDER = "ORDER BY id FOR UPDATE";

/** Sets something for the rest of the transaction, without a statement of its own: the subquery runs before the first row is found. */
function setting(name: string, value: string): string {
  return `AND (SELECT set_config('${name}', '${value}', true)) IS NOT NULL`;
}

/** Otherwise the server plans the large statements each time, which costs it more than running them. */
const PLANNED_ONCE = setting("plan_cache_mode", "force_generic_plan");
const LOCKS: Readonly<Record<Lock, string>> = {
  none: SEVERAL,
  wait: `${SEVERAL} ${PLANNED_ONCE} ${IN_ORDER}`,
  briefly: `${SEVERAL} ${PLANNED_ONCE} ${setting("lock_timeout", `${BRIEF_MS}`)} ${IN_ORDER}`,
  free: `${SEVERAL} ${PLANNED_ONCE} ${IN_ORDER} SKIP LOCKED`,
};

const SUMS = composeOpeningSums(
  (position) => ["$1", "$2::bigint", "$3::bigint", "$4::text", "$5::text"][position - 1] ?? "",
);

/** The queries for some demands, and the reader of their results. */
interface RowReading {
  readonly queries: readonly Query[];
  readonly rowsOf: (results: readonly Result[]) => Rows;
  /** Returns the ids of the accounts that were found, and locked. */
  readonly accountsOf: (results: readonly Result[]) => ReadonlySet<string>;
}

/**
 * The first statement reads the accounts' rows, and locks them. Every change to an account locks its row first, so changes
 * are made one after the other. The second is a statement of its own because under READ COMMITTED each sees what was
 * committed before it began: joined with the first, it would show the state before the wait for the lock, and a place or a
 * dollar could be spent twice. Stored replies, and new budgets, which are rare, have statements of their own.
 */
export function composeReading(reads: readonly Reads[], lock: Lock, isDistributed: boolean): RowReading {
  const accountIds = [...new Set(reads.map(({ accountId }) => accountId))];
  const [first = ""] = accountIds;
  const parts = isDistributed ? composeApart(first, reads) : composeTogether(reads);
  const openings = new Map(
    reads.flatMap(({ accountId, openings = [] }) =>
      openings.map((one) => [makeOpeningId(accountId, one), listOpeningValues(accountId, one)] as const),
    ),
  );
  const sums = Array.from(openings.values(), (values) => bind(SUMS, ...values));
  const before = 1 + parts.queries.length;
  return {
    queries: [composeLock(accountIds, lock, isDistributed), ...parts.queries, ...sums],
    accountsOf: ([accounts = []]) => new Set(accounts.map((found) => readText(found, "id"))),
    rowsOf: (results) => ({
      ...readRows(reads, results[0] ?? [], parts.foundIn(results.slice(1, before))),
      sums: new Map(
        Array.from(openings.keys(), (id, at) => [id, (results[before + at] ?? []).map(readModelSum)]),
      ),
    }),
  };
}

function composeLock(accountIds: readonly string[], lock: Lock, isDistributed: boolean): Query {
  if (!isDistributed) return bind(LOCKS[lock], accountIds);
  return bind(lock === "none" ? ONE : `${ONE} FOR UPDATE`, accountIds[0] ?? "");
}

interface ReadResult {
  readonly found: FoundRows;
  readonly clock: FoundRow;
}

function readRows(
  reads: readonly Reads[],
  accounts: readonly FoundRow[],
  { found, clock }: ReadResult,
): Rows {
  return {
    nowMs: readInteger(clock, "now_ms"),
    accounts: makeCells(indexRows(ACCOUNT, accounts, ({ id }) => id)),
    page: readPages(reads, found),
    keys: indexRows(KEY, found.keys, ({ id }) => id),
    holds: makeCells(indexRows(HOLD, found.holds, ({ id }) => id)),
    requests: indexRows(REQUEST, found.requests, ({ id }) => id),
    replies: indexRows(REPLY, found.replies, makeRowId),
    movements: indexRows(MOVEMENT, found.movements, ({ id }) => id),
    checkouts: indexRows(CHECKOUT, found.checkouts, ({ id }) => id),
    tagsOfDays: readTagsOfDays(found.tags),
  };
}

/** Returns the pages of the accounts' owners. A row that wasn't found is missing there. */
function readPages(reads: readonly Reads[], found: FoundRows): Rows["page"] {
  const { spends = [], owners = [], meters = [] } = found;
  const { find } = new Pages(new Map());
  for (const row of spends) {
    const spend = SPEND.rowOf(row);
    find(spend.accountId, spend.keyId).spend.fill(spend);
  }
  for (const row of owners) {
    const state = OWNER.rowOf(row);
    find(state.accountId, state.owner).state.fill(state);
  }
  for (const row of meters) {
    const meter = METER.rowOf(row);
    find(meter.accountId, meter.owner).meter(meter.day).fill(meter);
  }
  fillTerms(find, reads, found);
  return find;
}

/** A member may have keys in several accounts: the rules are the same in each, but raises are granted in one. */
function fillTerms(
  find: Rows["page"],
  reads: readonly Reads[],
  { members = [], raises = [] }: FoundRows,
): void {
  if (members.length === 0) return;
  const rules = new Map(members.map((row) => [readText(row, "id"), readRules(row)]));
  const raised = Map.groupBy(raises, (row) =>
    makeRowId({ accountId: readText(row, "account_id"), id: readText(row, "member_id") }),
  );
  for (const { accountId, memberId } of reads) {
    const ruled = rules.get(memberId ?? "");
    if (!memberId || ruled === undefined) continue;
    const { terms } = find(accountId, memberId);
    if (terms.isRead) continue;
    const granted = raised.get(makeRowId({ accountId, id: memberId })) ?? [];
    terms.fill({ rules: ruled, raises: granted.map(readRaise) });
  }
}

function makeCells<Row extends object>(rows: ReadonlyMap<string, Row | null>): Map<string, Cell<Row>> {
  return new Map(Array.from(rows, ([id, row]) => [id, new Cell<Row>().fill(row)]));
}

function readTagsOfDays(found: readonly FoundRow[] = []): ReadonlyMap<string, ReadonlySet<string>> {
  const days = Map.groupBy(found.map(TAG_OF_DAY.rowOf), ({ accountId, dayMs }) =>
    makeTagDayId(accountId, dayMs),
  );
  return new Map([...days].map(([id, tags]) => [id, new Set(tags.map(({ tag }) => tag))]));
}

function indexRows<Row>(
  table: Table<Row>,
  found: readonly FoundRow[] = [],
  idOf: (row: Row) => string,
): ReadonlyMap<string, Row | null> {
  return new Map(found.map(table.rowOf).map((row) => [idOf(row), row]));
}
