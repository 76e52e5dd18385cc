// The books during one batch: the rows as read, the changes of earlier demands, and the only way to move money.

import type { Checkout } from "../../../src/core/books/checkout.ts";
import type { Entry, Legs } from "../../../src/core/books/journal.ts";
import type { Movement } from "../../../src/core/books/movement.ts";
import type { Answer } from "../../../src/core/demand.ts";
import type { OutboxEvent } from "../../../src/core/events/events.ts";
import type { Account, GatewayKey } from "../../../src/core/keys/key.ts";
import type { KeptReply } from "../../../src/core/log/kept.ts";
import { type CallSum, listCalls, type ProviderCall } from "../../../src/core/log/provider-call.ts";
import type { RequestRecord, UnsettledRecord } from "../../../src/core/log/record.ts";
import { findTagDay } from "../../../src/core/log/tags.ts";
import { addAmounts, NO_AMOUNTS } from "../../../src/core/money/units.ts";
import {
  type Hold,
  type Meter,
  makeOwnerState,
  type OwnerState,
  type Spend,
} from "../../../src/core/rows.ts";
import { findBalanceLow } from "../../../src/ledger/money/balance-low.ts";
import type { Decision, DeletedRow } from "./decision.ts";
import { makeOwnerId } from "./ids.ts";
import type { LimitedMember } from "./limits/limit-owners.ts";
import type { RowLookup } from "./row-lookup.ts";
import { NO_SUMS, UsageSums } from "./usage-sums.ts";

/** Shared by all tables that a batch doesn't write, which are most. */
const NOTHING: readonly never[] = Object.freeze([]);
const NO_ROWS: ReadonlyMap<string, never> = new Map<string, never>();

/** One table: written rows hide the rows as read, and are what the batch writes. */
class Sheet<Row> {
  readonly #read: Pick<ReadonlyMap<string, Row | null>, "get">;
  /** Most sheets of a batch stay empty. */
  #put: Map<string, Row> | null = null;

  constructor(read: Pick<ReadonlyMap<string, Row | null>, "get">) {
    this.#read = read;
  }

  get(id: string): Row | null {
    return this.#put?.get(id) ?? this.#read.get(id) ?? null;
  }

  put(id: string, row: Row): void {
    this.#put ??= new Map();
    this.#put.set(id, row);
  }

  drop(id: string): void {
    this.#put?.delete(id);
  }

  /** True if the row was made in this batch. */
  isNew(id: string): boolean {
    return this.#put?.has(id) === true && !this.#read.get(id);
  }

  get changed(): readonly Row[] {
    return this.#put === null ? NOTHING : [...this.#put.values()];
  }

  /** The written rows, each with the one that the store has instead. */
  get changes(): readonly { readonly row: Row; readonly before: Row | null }[] {
    return [...(this.#put ?? [])].map(([id, row]) => ({ row, before: this.#read.get(id) ?? null }));
  }

  /** The written rows that the store has, or that it lacks. */
  changedWhere(isStored: boolean): readonly Row[] {
    if (this.#put === null) return NOTHING;
    const chosen: Row[] = [];
    for (const [id, row] of this.#put) if (this.isNew(id) !== isStored) chosen.push(row);
    return chosen;
  }
}

/** A table whose rows may also be removed. */
class RemovableSheet<Row extends DeletedRow> {
  readonly #rows: Sheet<Row>;
  #gone: Map<string, DeletedRow> | null = null;

  constructor(read: Pick<ReadonlyMap<string, Row | null>, "get">) {
    this.#rows = new Sheet(read);
  }

  get(id: string): Row | null {
    return this.#gone?.has(id) ? null : this.#rows.get(id);
  }

  put(row: Row): void {
    this.#gone?.delete(row.id);
    this.#rows.put(row.id, row);
  }

  remove({ accountId, id }: Row): void {
    const isNew = this.#rows.isNew(id);
    this.#rows.drop(id);
    if (isNew) return;
    this.#gone ??= new Map();
    this.#gone.set(id, { accountId, id });
  }

  get changed(): readonly Row[] {
    return this.#rows.changed;
  }

  get gone(): readonly DeletedRow[] {
    return this.#gone === null ? NOTHING : [...this.#gone.values()];
  }
}

/** A journal entry without its legs. */
interface About extends Pick<Entry, "kind" | "atMs" | "requestId"> {
  readonly usageSource?: Entry["usageSource"];
  readonly ended?: Entry["ended"];
  readonly note?: string | null;
}

export class Books {
  readonly keys: RowLookup["keys"];
  readonly accounts: Sheet<Account>;
  readonly spends: Sheet<Spend>;
  readonly meters: Sheet<Meter>;
  readonly owners: Sheet<OwnerState>;
  readonly holds: RemovableSheet<Hold>;
  readonly requests: Sheet<RequestRecord>;
  readonly replies: RemovableSheet<KeptReply>;
  readonly movements: Sheet<Movement>;
  readonly checkouts: Sheet<Checkout>;
  readonly members: RowLookup["members"];
  readonly sums: RowLookup["sums"];
  readonly #tagsOfDays: RowLookup["tagsOfDays"];
  /** Each is made once there is something in it: most batches have none of them. */
  #states: Set<string> | null = null;
  #entries: Entry[] | null = null;
  #events: OutboxEvent[] | null = null;
  #sums: UsageSums | null = null;
  #calls: Map<string, CallSum> | null = null;

  constructor(rows: Omit<RowLookup, "nowMs">) {
    this.keys = rows.keys;
    this.accounts = new Sheet(rows.accounts);
    this.spends = new Sheet(rows.spends);
    this.meters = new Sheet(rows.meters);
    this.owners = new Sheet(rows.owners);
    this.holds = new RemovableSheet(rows.holds);
    this.requests = new Sheet(rows.requests);
    this.replies = new RemovableSheet(rows.replies);
    this.movements = new Sheet(rows.movements);
    this.checkouts = new Sheet(rows.checkouts ?? NO_ROWS);
    this.members = rows.members;
    this.sums = rows.sums;
    this.#tagsOfDays = rows.tagsOfDays;
  }

  /** Returns books that begin with these. Nothing that happens to them changes these. */
  copy(): Books {
    return new Books(this);
  }

  /** Returns the account of a key or a hold. The store refuses either without an account. */
  account(id: string): Account {
    const account = this.accounts.get(id);
    if (account === null) throw new Error(`There is no account ${id}.`);
    return account;
  }

  /** Changes what an account owes, or whether it is paused or closed. */
  changeState(accountId: string, change: Partial<Account>): Account {
    const account = { ...this.account(accountId), ...change };
    this.accounts.put(accountId, account);
    this.#states ??= new Set();
    this.#states.add(accountId);
    return account;
  }

  ownerState(accountId: string, owner: string): OwnerState {
    return this.owners.get(makeOwnerId(accountId, owner)) ?? makeOwnerState(accountId, owner);
  }

  putOwner(state: OwnerState): void {
    this.owners.put(makeOwnerId(state.accountId, state.owner), state);
  }

  member(accountId: string, id: string): LimitedMember {
    return { id, terms: this.members?.get(makeOwnerId(accountId, id)) ?? null };
  }

  /** Returns the person whose personal key it is, as limited in an account. Null for a service key. */
  memberOf(key: Pick<GatewayKey, "memberId"> | null, accountId: string): LimitedMember | null {
    return key === null || key.memberId === null ? null : this.member(accountId, key.memberId);
  }

  addEvent(event: OutboxEvent): void {
    this.#events ??= [];
    this.#events.push(event);
  }

  spend(accountId: string, keyId: string): Spend {
    const known = this.spends.get(makeOwnerId(accountId, keyId));
    return known ?? { accountId, keyId, spentNanoUsd: 0, heldNanoUsd: 0 };
  }

  putSpend(spend: Spend): void {
    this.spends.put(makeOwnerId(spend.accountId, spend.keyId), spend);
  }

  /** Moves money and adds the journal entry. Throws if the legs don't sum to zero or the account would owe. */
  move(accountId: string, given: Partial<Legs>, about: About): Account {
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
    this.accounts.put(accountId, account);
    const low = findBalanceLow(before, account, about);
    if (low !== null) this.addEvent(low);
    this.#entries ??= [];
    this.#entries.push({
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
    this.#sums ??= new UsageSums(this.#tagsOfDays);
    this.#sums.add(record, month, times);
  }

  /** Counts the calls that a request made in their day. */
  addCalls(record: UnsettledRecord): void {
    for (const call of listCalls(record)) this.#addCall(call);
  }

  #addCall({
    accountId,
    atMs,
    model,
    credential,
    kind,
    calls,
    charged,
    costNanoUsd,
    usageSource,
    claimed,
  }: ProviderCall): void {
    const dayMs = findTagDay(atMs);
    this.#calls ??= new Map();
    const place = [accountId, dayMs, model, credential, kind].join(" ");
    const sum = this.#calls.get(place);
    this.#calls.set(place, {
      accountId,
      dayMs,
      model,
      credential,
      kind,
      calls: (sum?.calls ?? 0) + calls,
      amounts: addAmounts(sum?.amounts ?? NO_AMOUNTS, charged),
      costNanoUsd: (sum?.costNanoUsd ?? 0) + costNanoUsd,
      estimatedNanoUsd: (sum?.estimatedNanoUsd ?? 0) + (usageSource === "estimate" ? costNanoUsd : 0),
      reportedNanoUsd: (sum?.reportedNanoUsd ?? 0) + (claimed?.costNanoUsd ?? 0),
    });
  }

  /** Returns the rows to write and the answers to send once they are committed. */
  close(answers: readonly Answer[]): Decision {
    return {
      answers,
      accounts: this.accounts.changed,
      states: this.#states === null ? NOTHING : Array.from(this.#states, (id) => this.account(id)),
      spends: this.spends.changed,
      meters: this.meters.changed,
      owners: this.owners.changed,
      holds: this.holds.changed,
      holdsGone: this.holds.gone,
      entries: this.#entries ?? NOTHING,
      requests: this.requests.changedWhere(false),
      requestsAmended: this.requests.changedWhere(true),
      replies: this.replies.changed,
      repliesGone: this.replies.gone,
      movements: this.movements.changed,
      checkouts: this.checkouts.changed,
      ...(this.#sums?.decided ?? NO_SUMS),
      calls: this.#calls === null ? NOTHING : [...this.#calls.values()],
      events: this.#events ?? NOTHING,
    };
  }
}
