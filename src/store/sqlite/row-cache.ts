// The rows that decisions are made on, kept between transactions as long as nobody else has written to the file.
import type { Decision, Reads, Rows } from "../../core/demand.ts";
import type { Account, GatewayKey } from "../../core/key.ts";
import type { RequestRecord } from "../../core/record.ts";
import {
  type Hold,
  type KeptReply,
  type Meter,
  makeMeterId,
  type Slot,
  type Spend,
  type TopUp,
} from "../../core/rows.ts";
import type { Found } from "../found.ts";
import { REQUEST } from "../log-tables.ts";
import { ACCOUNT, HOLD, KEY, METER, REPLY, SLOT, SPEND, type Table, TOP_UP } from "../tables.ts";
import { KnownRows } from "./known-rows.ts";
import type { Statements } from "./statements.ts";

/** More are looked up again. */
const HOLDS_MAX = 50_000;

export class RowCache {
  readonly #accounts = new KnownRows<Account>();
  readonly #keys = new KnownRows<GatewayKey>();
  readonly #spends = new KnownRows<Spend>();
  readonly #meters = new KnownRows<Meter>();
  readonly #slots = new KnownRows<Slot>();
  /** By id. They come and go with each request: what is gone is emptied, for the reason that `transport/deadlines.ts` gives. */
  readonly #holds = new Map<string, { row: Hold | null }>();
  #dataVersion = -1;

  /** Forgets everything: this connection has written rows by another way, or is a new one. */
  clear(): void {
    for (const known of this.#tables) known.clear();
    this.#holds.clear();
  }

  get #tables(): readonly Pick<KnownRows<unknown>, "age" | "clear">[] {
    return [this.#accounts, this.#keys, this.#spends, this.#meters, this.#slots];
  }

  /**
   * The rows for some demands, read where they are not known. Call it inside the transaction: SQLite's `data_version`
   * changes when any other connection has committed, and from then on nothing known is to be trusted.
   */
  rowsFor(sql: Statements, reads: readonly Reads[]): Rows {
    const dataVersion = sql.dataVersion.get()?.data_version ?? -1;
    if (dataVersion !== this.#dataVersion) this.clear();
    this.#dataVersion = dataVersion;
    for (const known of this.#tables) known.age();
    if (this.#holds.size > HOLDS_MAX) this.#holds.clear();
    const requests = new Map<string, RequestRecord | null>();
    const replies = new Map<string, KeptReply | null>();
    const topUps = new Map<string, TopUp | null>();
    for (const read of reads) {
      const { accountId, requestId, replyId, topUpId } = read;
      this.#load(sql, read);
      if (requestId !== null && this.#holds.get(requestId)?.row === null && !requests.has(requestId))
        requests.set(requestId, rowOf(REQUEST, sql.request.get(requestId)));
      if (replyId !== null && !replies.has(replyId))
        replies.set(replyId, rowOf(REPLY, sql.reply.get(accountId, replyId)));
      if (topUpId !== null && !topUps.has(topUpId))
        topUps.set(topUpId, rowOf(TOP_UP, sql.topUp.get(accountId, topUpId)));
    }
    return {
      accounts: this.#accounts,
      keys: this.#keys,
      spends: this.#spends,
      meters: this.#meters,
      slots: this.#slots,
      holds: { get: (id) => this.#holds.get(id)?.row },
      requests,
      replies,
      topUps,
    };
  }

  /** A key whose secret was shown asks for something next. It counts as any row: until another connection commits. */
  keepKey(key: GatewayKey): void {
    this.#keys.age();
    this.#keys.keep(key.id, key);
  }

  /** Takes over the rows that a decision has written. Call it after the commit. */
  keep(decision: Decision): void {
    for (const account of decision.accounts) this.#accounts.keep(account.id, account);
    for (const spend of decision.spends) this.#spends.keep(spend.keyId, spend);
    for (const meter of decision.meters) this.#meters.keep(makeMeterId(meter.owner, meter.day), meter);
    for (const slot of decision.slots) this.#slots.keep(slot.owner, slot);
    for (const hold of decision.holds) this.#holds.set(hold.id, { row: hold });
    for (const { id } of decision.holdsGone) {
      const gone = this.#holds.get(id);
      if (gone) gone.row = null;
      this.#holds.delete(id);
    }
  }

  /** To look for a new request's hold and row would cost 3 µs of its 20 in the store, and find nothing. */
  #load(sql: Statements, { accountId, keyId, owners, days, requestId, isNew }: Reads): void {
    load(this.#accounts, accountId, ACCOUNT, () => sql.account.get(accountId));
    if (keyId !== null) {
      load(this.#keys, keyId, KEY, () => sql.key.get(keyId));
      load(this.#spends, keyId, SPEND, () => sql.spend.get(accountId, keyId));
    }
    if (requestId !== null && !isNew && !this.#holds.has(requestId))
      this.#holds.set(requestId, { row: rowOf(HOLD, sql.hold.get(accountId, requestId)) });
    for (const owner of owners) {
      load(this.#slots, owner, SLOT, () => sql.slot.get(accountId, owner));
      for (const day of days)
        load(this.#meters, makeMeterId(owner, day), METER, () => sql.meter.get(accountId, owner, day));
    }
  }
}

function load<Row>(known: KnownRows<Row>, id: string, table: Table<Row>, find: () => Found | null): void {
  if (known.get(id) === undefined) known.keep(id, rowOf(table, find()));
}

function rowOf<Row>(table: Table<Row>, found: Found | null): Row | null {
  return found === null ? null : table.rowOf(found);
}
