// The books during one batch: rows as they are, the changes of the batch in place, and the only way to move money.

import type { Checkout } from "../core/books/checkout.ts";
import type { Entry, Legs } from "../core/books/journal.ts";
import type { Movement } from "../core/books/movement.ts";
import type { Rows } from "../core/decision.ts";
import type { OutboxEvent } from "../core/events/events.ts";
import type { Account, GatewayKey } from "../core/keys/key.ts";
import type { KeptReply } from "../core/log/kept.ts";
import type { RequestRecord, UnsettledRecord } from "../core/log/record.ts";
import { readTrace } from "../core/log/trace.ts";
import { Cell, type OwnerPage } from "../core/pages.ts";
import { type Hold, type Meter, makeOwnerState, type OwnerState, type Spend } from "../core/rows.ts";
import { Batch } from "./batch.ts";
import type { LimitedMember } from "./limits/limit-owners.ts";
import { findBalanceLow } from "./money/balance-low.ts";
import { RemovableSheet, Sheet } from "./sheet.ts";

const NO_ROWS: ReadonlyMap<string, never> = new Map<string, never>();

/** A journal entry without its legs. */
interface EntryHead extends Pick<Entry, "kind" | "atMs" | "requestId"> {
  readonly usageSource?: Entry["usageSource"];
  readonly ended?: Entry["ended"];
  readonly note?: string | null;
}

/** The books on rows that stay: one batch after the other, of which each is kept or taken back. */
export class Books {
  readonly #rows: Rows;
  #batch: Batch | null = null;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Made for the first change: books may only be read. */
  get batch(): Batch {
    this.#batch ??= new Batch(this.#rows);
    return this.#batch;
  }

  get keys(): Rows["keys"] {
    return this.#rows.keys;
  }

  get sums(): Rows["sums"] {
    return this.#rows.sums;
  }

  /** The rows of a key, a member or an account. */
  page(accountId: string, owner: string): OwnerPage {
    return this.#rows.page(accountId, owner);
  }

  findAccount(id: string): Account | null {
    return this.#rows.accounts.get(id)?.row ?? null;
  }

  /** Returns the account of a key or a hold. The store refuses either without an account. */
  account(id: string): Account {
    const account = this.findAccount(id);
    if (account === null) throw new Error(`There is no account ${id}.`);
    return account;
  }

  putAccount(account: Account): void {
    const cell = this.#rows.accounts.get(account.id);
    if (cell === undefined) throw new Error(`The account ${account.id} was not read.`);
    this.batch.log.put(cell, account, this.batch.accounts);
  }

  /** Changes what an account owes, or whether it is paused or closed. */
  changeState(accountId: string, change: Partial<Account>): Account {
    const account = { ...this.account(accountId), ...change };
    this.putAccount(account);
    const { rare } = this.batch;
    rare.states ??= new Set();
    rare.states.add(accountId);
    return account;
  }

  ownerState(accountId: string, owner: string): OwnerState {
    return this.page(accountId, owner).state.row ?? makeOwnerState(accountId, owner);
  }

  putOwner(state: OwnerState): void {
    this.batch.log.put(this.page(state.accountId, state.owner).state, state, this.batch.owners);
  }

  findMeter(accountId: string, owner: string, day: string): Meter | null {
    return this.page(accountId, owner).meter(day).row;
  }

  putMeter(meter: Meter): void {
    this.batch.log.put(this.page(meter.accountId, meter.owner).meter(meter.day), meter, this.batch.meters);
  }

  member(accountId: string, id: string): LimitedMember {
    return { id, terms: this.page(accountId, id).terms.row };
  }

  /** Returns the person whose personal key it is, as limited in an account. Null for a service key. */
  memberOf(key: Pick<GatewayKey, "memberId"> | null, accountId: string): LimitedMember | null {
    return key === null || key.memberId === null ? null : this.member(accountId, key.memberId);
  }

  addEvent(event: OutboxEvent): void {
    this.batch.events.push(event);
  }

  spend(accountId: string, keyId: string): Spend {
    const known = this.page(accountId, keyId).spend.row;
    return known ?? { accountId, keyId, spentNanoUsd: 0, heldNanoUsd: 0 };
  }

  putSpend(spend: Spend): void {
    this.batch.log.put(this.page(spend.accountId, spend.keyId).spend, spend, this.batch.spends);
  }

  findHold(id: string): Hold | null {
    return this.#rows.holds.get(id)?.row ?? null;
  }

  putHold(hold: Hold): void {
    let cell = this.#rows.holds.get(hold.id);
    if (cell === undefined) {
      cell = new Cell();
      this.#rows.holds.set(hold.id, cell);
    }
    this.batch.log.put(cell, hold, this.batch.holds);
  }

  removeHold({ id }: Pick<Hold, "id">): void {
    const cell = this.#rows.holds.get(id);
    if (cell !== undefined) this.batch.log.put(cell, null, this.batch.holds);
  }

  get requests(): Sheet<RequestRecord> {
    this.batch.requests ??= new Sheet(this.#rows.requests);
    return this.batch.requests;
  }

  /** Returns the row of a request that was settled before, in this batch or an earlier one. */
  findRequest(id: string): RequestRecord | null {
    return (this.batch.requests ?? this.#rows.requests).get(id) ?? null;
  }

  get replies(): RemovableSheet<KeptReply> {
    const { rare } = this.batch;
    rare.replies ??= new RemovableSheet(this.#rows.replies);
    return rare.replies;
  }

  get movements(): Sheet<Movement> {
    const { rare } = this.batch;
    rare.movements ??= new Sheet(this.#rows.movements);
    return rare.movements;
  }

  get checkouts(): Sheet<Checkout> {
    const { rare } = this.batch;
    rare.checkouts ??= new Sheet(this.#rows.checkouts ?? NO_ROWS);
    return rare.checkouts;
  }

  /** Moves money and adds the journal entry. Throws if the legs don't sum to zero or the account would owe. */
  move(accountId: string, given: Partial<Legs>, about: EntryHead): Account {
    const {
      balanceNanoUsd = 0,
      heldNanoUsd = 0,
      fundingNanoUsd = 0,
      revenueNanoUsd = 0,
      overrunNanoUsd = 0,
    } = given;
    const sum = balanceNanoUsd + heldNanoUsd + fundingNanoUsd + revenueNanoUsd + overrunNanoUsd;
    if (sum !== 0) throw new Error(`An entry of kind ${about.kind} does not add up to zero.`);
    const before = this.account(accountId);
    const account: Account = {
      ...before,
      balanceNanoUsd: before.balanceNanoUsd + balanceNanoUsd,
      heldNanoUsd: before.heldNanoUsd + heldNanoUsd,
      entries: before.entries + 1,
    };
    if (account.balanceNanoUsd < 0 || account.heldNanoUsd < 0) {
      throw new Error(`An entry of kind ${about.kind} would overdraw the account.`);
    }
    this.putAccount(account);
    const low = findBalanceLow(before, account, about);
    if (low !== null) this.addEvent(low);
    const { rare } = this.batch;
    rare.entries ??= [];
    rare.entries.push({
      accountId,
      seq: account.entries,
      atMs: about.atMs,
      kind: about.kind,
      balanceNanoUsd,
      heldNanoUsd,
      fundingNanoUsd,
      revenueNanoUsd,
      overrunNanoUsd,
      balanceAfterNanoUsd: account.balanceNanoUsd,
      heldAfterNanoUsd: account.heldNanoUsd,
      requestId: about.requestId,
      usageSource: about.usageSource ?? null,
      ended: about.ended ?? null,
      note: about.note ?? null,
    });
    return account;
  }

  /** Counts a request in its sums, or with `times` -1 takes back what its earlier row was counted as. */
  addUsage(record: RequestRecord, month: string, times: 1 | -1 = 1): void {
    this.batch.sums.add(record, month, times, this.#rows.tagsOfDays);
  }

  /** Counts the calls that a request made in their day. */
  addCalls(record: UnsettledRecord): void {
    const { traced = readTrace(record.trace) } = record;
    if (traced !== null) this.batch.calls.addRequest(record, traced);
  }

  /** Returns what the function does, without the changes that it makes. They may only be of owners, their meters and accounts. */
  try<T>(work: () => T): T {
    const changes = this.batch.log.length;
    const events = this.batch.events.length;
    const result = work();
    this.batch.log.takeBack(changes);
    this.batch.events.length = events;
    return result;
  }
}
