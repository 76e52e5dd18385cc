// Caches the rows that decisions depend on, as long as no other process writes to the file.

import type { Decision, Rows } from "../../core/decision.ts";
import type { Demand, Reads } from "../../core/demand.ts";
import type { Account, GatewayKey } from "../../core/keys/key.ts";
import type { MemberTerms } from "../../core/limits/member-limits.ts";
import { type ModelSum, makeOpeningId } from "../../core/limits/opening.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import type { Checkout } from "../../core/money/checkout.ts";
import type { Movement } from "../../core/money/movement.ts";
import {
  type Hold,
  type KeptReply,
  type Meter,
  makeMeterId,
  makeOwnerId,
  makeTagDayId,
  type OwnerState,
  type Spend,
} from "../../core/rows.ts";
import { type FoundRow, readText } from "../engine/found.ts";
import { readRaise } from "../limits/limit-requests.ts";
import { readRules } from "../limits/member-columns.ts";
import { listOpeningValues, readModelSum } from "../limits/openings.ts";
import { CHECKOUT } from "../money/checkouts.ts";
import { REQUEST } from "../schema/log-tables.ts";
import { ACCOUNT, HOLD, KEY, METER, MOVEMENT, OWNER, REPLY, SPEND, type Table } from "../schema/tables.ts";
import type { Statements } from "./statements.ts";

const ENTRIES_MAX = 50_000;

/** Rows that are read for one transaction. Missing if none were: most transactions read none of them. */
interface RowsReadOnce {
  requests?: CachedRows<RequestRecord>;
  replies?: CachedRows<KeptReply>;
  movements?: CachedRows<Movement>;
  checkouts?: CachedRows<Checkout>;
  sums?: Map<string, readonly ModelSum[]>;
  tagsOfDays?: Map<string, ReadonlySet<string>>;
}

const NO_ROWS: ReadonlyMap<string, never> = new Map<string, never>();
const NO_OPENINGS: NonNullable<Reads["openings"]> = [];

/** Known rows by id. Null if the store has no such row. */
type CachedRows<Row> = Map<string, Row | null>;

export class RowCache {
  readonly #accounts: CachedRows<Account> = new Map();
  readonly #keys: CachedRows<GatewayKey> = new Map();
  readonly #members: CachedRows<MemberTerms> = new Map();
  readonly #spends: CachedRows<Spend> = new Map();
  readonly #meters: CachedRows<Meter> = new Map();
  readonly #owners: CachedRows<OwnerState> = new Map();
  /** By id. Removed holds are emptied, for the reason in `transport/deadlines.ts`. */
  readonly #holds = new Map<string, { row: Hold | null }>();
  readonly #all: readonly Map<string, unknown>[] = [
    this.#accounts,
    this.#keys,
    this.#members,
    this.#spends,
    this.#meters,
    this.#owners,
    this.#holds,
  ];
  readonly #rowsOfHolds: Rows["holds"] = { get: (id) => this.#holds.get(id)?.row };
  #dataVersion = -1;

  /** Clears the cache: the connection is new, or has written rows in another way. */
  clear(): void {
    for (const known of this.#all) known.clear();
  }

  /**
   * Returns the rows for some demands and reads the missing ones. Call it inside the transaction: SQLite's
   * `data_version` changes when another connection commits, and the cache is then stale.
   */
  rowsFor(sql: Statements, demands: readonly Pick<Demand, "reads">[]): Rows {
    const dataVersion = sql.dataVersion.get()?.data_version ?? -1;
    if (dataVersion !== this.#dataVersion || this.#count() > ENTRIES_MAX) this.clear();
    this.#dataVersion = dataVersion;
    const once: RowsReadOnce = {};
    for (const { reads } of demands) {
      this.#load(sql, reads);
      this.#loadOnce(sql, reads, once);
    }
    return {
      // Its processes share a machine, so their own clocks are the store's.
      nowMs: null,
      accounts: this.#accounts,
      keys: this.#keys,
      members: this.#members,
      spends: this.#spends,
      meters: this.#meters,
      owners: this.#owners,
      holds: this.#rowsOfHolds,
      requests: once.requests ?? NO_ROWS,
      replies: once.replies ?? NO_ROWS,
      movements: once.movements ?? NO_ROWS,
      checkouts: once.checkouts ?? NO_ROWS,
      sums: once.sums ?? NO_ROWS,
      tagsOfDays: once.tagsOfDays ?? NO_ROWS,
    };
  }

  #count(): number {
    let entries = 0;
    for (const { size } of this.#all) entries += size;
    return entries;
  }

  /** Reads the rows that aren't cached. */
  #loadOnce(sql: Statements, read: Reads, once: RowsReadOnce): void {
    const { accountId, requestId, replyId, movementId, checkoutId, openings = NO_OPENINGS, tagDayMs } = read;
    if (requestId !== null && this.#holds.get(requestId)?.row === null && !once.requests?.has(requestId)) {
      once.requests ??= new Map();
      once.requests.set(requestId, readRow(REQUEST, sql.request.get(requestId)));
    }
    if (replyId !== null && !once.replies?.has(replyId)) {
      once.replies ??= new Map();
      once.replies.set(replyId, readRow(REPLY, sql.reply.get(accountId, replyId)));
    }
    if (movementId !== null && !once.movements?.has(movementId)) {
      once.movements ??= new Map();
      once.movements.set(movementId, readRow(MOVEMENT, sql.movement.get(accountId, movementId)));
    }
    if (checkoutId !== undefined && !once.checkouts?.has(checkoutId)) {
      once.checkouts ??= new Map();
      once.checkouts.set(checkoutId, readRow(CHECKOUT, sql.checkout.get(accountId, checkoutId)));
    }
    if (tagDayMs !== undefined) readTagsOnce(sql, accountId, tagDayMs, once);
    for (const opening of openings) {
      const found = sql.openingSums.all(...listOpeningValues(accountId, opening));
      once.sums ??= new Map();
      once.sums.set(makeOpeningId(opening), found.map(readModelSum));
    }
  }

  /** Caches a key that was just looked up, because a request for it follows. */
  keepKey(key: GatewayKey): void {
    if (this.#keys.size < ENTRIES_MAX) this.#keys.set(key.id, key);
  }

  /** Caches the rows that a decision has written. Call it after the commit. */
  keep(decision: Decision): void {
    for (const account of decision.accounts) this.#accounts.set(account.id, account);
    for (const spend of decision.spends) this.#spends.set(makeOwnerId(spend.accountId, spend.keyId), spend);
    for (const meter of decision.meters)
      this.#meters.set(makeMeterId(meter.accountId, meter.owner, meter.day), meter);
    for (const state of decision.owners) this.#owners.set(makeOwnerId(state.accountId, state.owner), state);
    for (const hold of decision.holds) this.#holds.set(hold.id, { row: hold });
    for (const { id } of decision.holdsGone) {
      const gone = this.#holds.get(id);
      if (gone) gone.row = null;
      this.#holds.delete(id);
    }
  }

  /** A new request has no hold or record yet: skipping the two lookups saves 3 of its 20 µs in the store. */
  #load(sql: Statements, { accountId, keyId, memberId, owners, days, requestId, isNew }: Reads): void {
    if (!this.#accounts.has(accountId))
      this.#accounts.set(accountId, readRow(ACCOUNT, sql.account.get(accountId)));
    if (keyId !== null && !this.#keys.has(keyId)) this.#keys.set(keyId, readRow(KEY, sql.key.get(keyId)));
    const member = memberId ? makeOwnerId(accountId, memberId) : null;
    if (memberId && member !== null && !this.#members.has(member))
      this.#members.set(member, readTerms(sql, accountId, memberId));
    const spend = keyId === null ? null : makeOwnerId(accountId, keyId);
    if (spend !== null && !this.#spends.has(spend))
      this.#spends.set(spend, readRow(SPEND, sql.spend.get(accountId, keyId)));
    if (requestId !== null && !isNew && !this.#holds.has(requestId))
      this.#holds.set(requestId, { row: readRow(HOLD, sql.hold.get(accountId, requestId)) });
    for (const owner of owners) this.#loadOwner(sql, accountId, owner, days);
  }

  #loadOwner(sql: Statements, accountId: string, owner: string, days: readonly string[]): void {
    const state = makeOwnerId(accountId, owner);
    if (!this.#owners.has(state)) this.#owners.set(state, readRow(OWNER, sql.owner.get(accountId, owner)));
    for (const day of days) {
      const id = makeMeterId(accountId, owner, day);
      if (!this.#meters.has(id)) this.#meters.set(id, readRow(METER, sql.meter.get(accountId, owner, day)));
    }
  }
}

function readTerms(sql: Statements, accountId: string, memberId: string): MemberTerms | null {
  const found = sql.memberRules.get(memberId);
  if (found === null) return null;
  return { rules: readRules(found), raises: sql.raises.all(accountId, memberId).map(readRaise) };
}

function readTagsOnce(sql: Statements, accountId: string, dayMs: number, once: RowsReadOnce): void {
  const id = makeTagDayId(accountId, dayMs);
  once.tagsOfDays ??= new Map();
  if (!once.tagsOfDays.has(id)) once.tagsOfDays.set(id, readTags(sql.tagsOfDay.all(accountId, dayMs)));
}

function readTags(found: readonly FoundRow[]): ReadonlySet<string> {
  return new Set(found.map((one) => readText(one, "tag")));
}

function readRow<Row>(table: Table<Row>, found: FoundRow | null): Row | null {
  return found === null ? null : table.rowOf(found);
}
