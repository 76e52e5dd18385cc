// Pages: the rows of an owner as decisions change them, in place, and as a store may keep them from batch to batch.
import type { MemberTerms } from "./limits/member-limits.ts";
import type { Meter, OwnerState, Spend } from "./rows.ts";

/** A row that decisions replace. */
export class Cell<Row extends object> {
  /** Null if the store has no such row, or if it wasn't read. */
  row: Row | null = null;
  /** False until the row was read. A batch that depends on it reads it first, whatever was written to it meanwhile. */
  isRead = false;
  /** The batch that changed it last, and the row before that batch. */
  batch = 0;
  before: Row | null = null;

  /** Sets the row as it was read. */
  fill(row: Row | null): this {
    this.row = row;
    this.isRead = true;
    return this;
  }
}

class MeterCell extends Cell<Meter> {
  readonly day: string;

  constructor(day: string) {
    super();
    this.day = day;
  }
}

/** More days than this are only kept while a batch needs them: a request counts in one of two. */
const DAYS_KEPT = 4;

/** The rows of a key, a member or an account within one account. */
export class OwnerPage {
  readonly accountId: string;
  readonly owner: string;
  readonly state = new Cell<OwnerState>();
  readonly spend = new Cell<Spend>();
  /** A member's. */
  readonly terms = new Cell<MemberTerms>();
  /** The page of the same owner in another account, from which the key was moved or in which the member has keys too. */
  readonly other: OwnerPage | null;
  /** The number of the last transaction that it took part in, for a store that keeps it. */
  round = 0;
  #meters: readonly MeterCell[] = [];

  constructor(accountId: string, owner: string, other: OwnerPage | null = null) {
    this.accountId = accountId;
    this.owner = owner;
    this.other = other;
  }

  meter(day: string): Cell<Meter> {
    for (const one of this.#meters) if (one.day === day) return one;
    const added = new MeterCell(day);
    this.#meters = [...this.#meters, added];
    return added;
  }

  /** Takes part in a transaction. Days that are over are forgotten now: what it reads stays until the next one. */
  begin(round: number): void {
    this.round = round;
    if (this.#meters.length > DAYS_KEPT) this.#meters = this.#meters.slice(-DAYS_KEPT);
  }
}

/** Values by their id: a Map, or one that forgets. */
export interface KeptRows<Value> {
  get(id: string): Value | undefined;
  set(id: string, value: Value): unknown;
  delete(id: string): unknown;
}

/** Pages by owner and account. Those that are missing are made, without rows. */
export class Pages {
  readonly #pages: KeptRows<OwnerPage>;

  constructor(pages: KeptRows<OwnerPage>) {
    this.#pages = pages;
  }

  readonly find = (accountId: string, owner: string): OwnerPage => {
    const first = this.#pages.get(owner) ?? null;
    for (let page = first; page !== null; page = page.other) if (page.accountId === accountId) return page;
    const added = new OwnerPage(accountId, owner, first);
    this.#pages.set(owner, added);
    return added;
  };
}
