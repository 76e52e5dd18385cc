// Caches the rows that decisions depend on, as long as no other process writes to the file.

import type { Checkout } from "../../core/books/checkout.ts";
import type { Movement } from "../../core/books/movement.ts";
import type { DeletedRow, Rows } from "../../core/decision.ts";
import type { Demand, Reads } from "../../core/demand.ts";
import type { Account, GatewayKey } from "../../core/keys/key.ts";
import type { MemberTerms } from "../../core/limits/member-limits.ts";
import { type ModelSum, makeOpeningId } from "../../core/limits/opening.ts";
import type { KeptReply } from "../../core/log/kept.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import { Cell, type OwnerPage, Pages } from "../../core/pages.ts";
import { type Hold, makeRowId, makeTagDayId, type NotedRequest } from "../../core/rows.ts";
import { type FoundRow, readText } from "../columns/found.ts";
import { readRules } from "../columns/member-columns.ts";
import { readRaise } from "../limits/limit-requests.ts";
import { listOpeningValues, readModelSum } from "../limits/openings.ts";
import { CHECKOUT } from "../money/checkouts.ts";
import { REQUEST } from "../schema/log-tables.ts";
import { ACCOUNT, HOLD, KEY, METER, MOVEMENT, OWNER, REPLY, SPEND, type Table } from "../schema/tables.ts";
import { Generations } from "./generations.ts";
import type { Statements } from "./statements.ts";

/** The entries of a generation, of each kind. A key's page takes about a kilobyte. */
const ENTRIES_MAX = 10_000;

const NOTHING_NOTED: readonly NotedRequest[] = [];
const NO_OPENINGS: NonNullable<Reads["openings"]> = [];

type RowsById<Row> = Map<string, Row>;

/** Rows that are read for one transaction. Most transactions read none of them. */
interface RowsReadOnce {
  requests: RowsById<RequestRecord | null>;
  replies: RowsById<KeptReply | null>;
  movements: RowsById<Movement | null>;
  checkouts: RowsById<Checkout | null>;
  sums: RowsById<readonly ModelSum[]>;
  tagsOfDays: RowsById<ReadonlySet<string>>;
}

/** Never written to: a map is made for the first row. */
const NO_ROWS = new Map<string, never>();
const NOTHING_READ: RowsReadOnce = {
  requests: NO_ROWS,
  replies: NO_ROWS,
  movements: NO_ROWS,
  checkouts: NO_ROWS,
  sums: NO_ROWS,
  tagsOfDays: NO_ROWS,
};

export class RowCache {
  readonly #accounts = new Generations<Cell<Account>>(ENTRIES_MAX);
  readonly #keys = new Generations<{ readonly row: GatewayKey | null }>(ENTRIES_MAX);
  readonly #pages = new Generations<OwnerPage>(ENTRIES_MAX);
  readonly #holds = new Generations<Cell<Hold>>(ENTRIES_MAX);
  /** Replies that are pending: their settlements follow. */
  readonly #claims = new Generations<KeptReply>(ENTRIES_MAX);
  readonly #all = [this.#accounts, this.#keys, this.#pages, this.#holds, this.#claims] as const;
  readonly #page = new Pages(this.#pages).find;
  #hasReadOnce = false;
  /** The replies that are still to be read for the transaction. */
  readonly #unread: DeletedRow[] = [];
  /** The number of the transaction. */
  #round = 0;
  #dataVersion = -1;
  /** The same for every transaction, so that a decision finds its books again. */
  readonly #rows: Rows & RowsReadOnce = {
    // Its processes share a machine, so their own clocks are the store's.
    nowMs: null,
    accounts: this.#accounts,
    keys: { get: (id) => this.#keys.get(id)?.row },
    page: this.#page,
    holds: this.#holds,
    ...NOTHING_READ,
  };

  /** Clears the cache: the connection is new, or has written rows in another way. */
  clear(): void {
    for (const known of this.#all) known.clear();
  }

  /** The connection has written accounts or their replies in another way, and nothing else that is cached. */
  forgetAccounts(): void {
    this.#accounts.clear();
    this.#claims.clear();
  }

  /** Takes a reply as it is being written. Call `clear` if that fails. */
  keepReply(reply: KeptReply): void {
    if (reply.state === "pending") this.#claims.set(reply.id, reply);
    else this.#claims.delete(reply.id);
  }

  dropReply(id: string): void {
    this.#claims.delete(id);
  }

  /**
   * Returns the rows for some demands and reads the missing ones. They are valid until the next call. Call it inside the
   * transaction: SQLite's `data_version` changes when another connection commits, and the cache is then stale.
   */
  rowsFor(sql: Statements, demands: readonly Pick<Demand, "reads">[]): Rows {
    const dataVersion = sql.dataVersion.get()?.data_version ?? -1;
    if (dataVersion !== this.#dataVersion) this.clear();
    this.#dataVersion = dataVersion;
    for (const known of this.#all) known.turn();
    if (this.#hasReadOnce) Object.assign(this.#rows, NOTHING_READ);
    this.#hasReadOnce = false;
    this.#round++;
    this.#unread.length = 0;
    for (const { reads } of demands) {
      this.#load(sql, reads);
      if (this.#hasMore(reads)) this.#loadOnce(sql, reads);
    }
    if (this.#unread.length > 0) this.#readReplies(sql);
    return this.#rows;
  }

  /** Caches a key that was just looked up, because a request for it follows. */
  keepKey(key: GatewayKey): void {
    this.#keys.set(key.id, { row: key });
  }

  /** True if a demand reads rows that aren't cached, which most don't. */
  #hasMore({ requestId, replyId, movementId, checkoutId, openings, tagDayMs }: Reads): boolean {
    if (replyId !== null || movementId !== null || checkoutId !== undefined) return true;
    if (openings !== undefined || tagDayMs !== undefined) return true;
    return requestId !== null && this.#holds.get(requestId)?.row === null;
  }

  #loadOnce(sql: Statements, read: Reads): void {
    const { accountId, requestId, replyId, movementId, checkoutId, openings = NO_OPENINGS, tagDayMs } = read;
    const rows = this.#rows;
    this.#hasReadOnce = true;
    if (requestId !== null && this.#holds.get(requestId)?.row === null)
      rows.requests = add(rows.requests, requestId, () => readRow(REQUEST, sql.request.get(requestId)));
    if (replyId !== null) this.#loadReply(accountId, replyId);
    if (movementId !== null)
      rows.movements = add(rows.movements, movementId, () =>
        readRow(MOVEMENT, sql.movement.get(accountId, movementId)),
      );
    if (checkoutId !== undefined)
      rows.checkouts = add(rows.checkouts, checkoutId, () =>
        readRow(CHECKOUT, sql.checkout.get(accountId, checkoutId)),
      );
    if (tagDayMs !== undefined)
      rows.tagsOfDays = add(rows.tagsOfDays, makeTagDayId(accountId, tagDayMs), () =>
        readTags(sql.tagsOfDay.all(accountId, tagDayMs)),
      );
    for (const opening of openings)
      rows.sums = add(rows.sums, makeOpeningId(accountId, opening), () =>
        sql.openingSums.all(...listOpeningValues(accountId, opening)).map(readModelSum),
      );
  }

  #loadReply(accountId: string, id: string): void {
    const claim = this.#findClaim(accountId, id);
    const named = claim ?? { accountId, id };
    if (claim === null) this.#unread.push(named);
    this.#setReply(named, claim);
  }

  #setReply(named: DeletedRow, reply: KeptReply | null): void {
    const rows = this.#rows;
    if (rows.replies === NO_ROWS) rows.replies = new Map();
    rows.replies.set(makeRowId(named), reply);
  }

  /** The lines of a batch come together, and each names a reply. */
  #readReplies(sql: Statements): void {
    for (const found of sql.replies(this.#unread)) {
      const reply = REPLY.rowOf(found);
      this.#setReply(reply, reply);
    }
    this.#unread.length = 0;
  }

  /** A key that was moved names the same reply in another account. */
  #findClaim(accountId: string, replyId: string): KeptReply | null {
    const claim = this.#claims.get(replyId);
    return claim?.accountId === accountId ? claim : null;
  }

  /** A new request has no hold or record yet: skipping the two lookups saves 3 of its 20 µs in the store. */
  #load(sql: Statements, reads: Reads): void {
    const { accountId, keyId, memberId, owners, days, requestId } = reads;
    if (this.#accounts.get(accountId) === undefined)
      this.#accounts.set(accountId, new Cell<Account>().fill(readRow(ACCOUNT, sql.account.get(accountId))));
    if (keyId !== null) this.#loadKey(sql, accountId, keyId);
    if (memberId) this.#loadMember(sql, accountId, memberId);
    for (const owner of owners) this.#loadOwner(sql, accountId, owner, days);
    if (requestId === null || this.#holds.get(requestId) !== undefined) return;
    if (!this.#isNew(reads, requestId))
      this.#holds.set(requestId, new Cell<Hold>().fill(readRow(HOLD, sql.hold.get(accountId, requestId))));
  }

  /** A noted request is new until it is settled, or another process has given it up. */
  #isNew({ isNew = false, accountId, owners, days }: Reads, requestId: string): boolean {
    if (isNew !== "noted") return isNew;
    for (const owner of owners) {
      const page = this.#page(accountId, owner);
      for (const day of days)
        for (const { id } of page.meter(day).row?.noted ?? NOTHING_NOTED) if (id === requestId) return true;
    }
    return false;
  }

  #loadKey(sql: Statements, accountId: string, keyId: string): void {
    if (this.#keys.get(keyId) === undefined) this.#keys.set(keyId, { row: readRow(KEY, sql.key.get(keyId)) });
    const { spend } = this.#page(accountId, keyId);
    if (!spend.isRead) spend.fill(readRow(SPEND, sql.spend.get(accountId, keyId)));
  }

  #loadMember(sql: Statements, accountId: string, memberId: string): void {
    const { terms } = this.#page(accountId, memberId);
    if (!terms.isRead) terms.fill(readTerms(sql, accountId, memberId));
  }

  #loadOwner(sql: Statements, accountId: string, owner: string, days: readonly string[]): void {
    const page = this.#page(accountId, owner);
    if (page.round !== this.#round) page.begin(this.#round);
    const { state } = page;
    if (!state.isRead) state.fill(readRow(OWNER, sql.owner.get(accountId, owner)));
    for (const day of days) {
      const meter = page.meter(day);
      if (!meter.isRead) meter.fill(readRow(METER, sql.meter.get(accountId, owner, day)));
    }
  }
}

/** Adds a row unless it is there. */
function add<Row>(rows: RowsById<Row>, id: string, read: () => Row): RowsById<Row> {
  if (rows.has(id)) return rows;
  const own = rows.size === 0 ? new Map<string, Row>() : rows;
  return own.set(id, read());
}

function readTerms(sql: Statements, accountId: string, memberId: string): MemberTerms | null {
  const found = sql.memberRules.get(memberId);
  if (found === null) return null;
  return { rules: readRules(found), raises: sql.raises.all(accountId, memberId).map(readRaise) };
}

function readTags(found: readonly FoundRow[]): ReadonlySet<string> {
  return new Set(found.map((one) => readText(one, "tag")));
}

function readRow<Row>(table: Table<Row>, row: FoundRow | null): Row | null {
  return row === null ? null : table.rowOf(row);
}
