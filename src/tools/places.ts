// The places of the calls under way at one tool server, shared by accounts: one holds at most three quarters of them, and the next
// free one goes to the waiting account that holds least. Time is an argument.

const SHARE_MAX = 0.75;
/** The longest that a call waits for a place. */
const WAIT_MS = 5000;

/** A call that waits for a place. */
interface Waiter {
  readonly accountId: string;
  readonly untilMs: number;
  /** Called once it has a place. */
  readonly give: () => void;
  hasPlace: boolean;
}

/** Times are on the monotonic clock. */
export class Places {
  readonly #count: number;
  readonly #shareMax: number;
  #taken = 0;
  readonly #held = new Map<string, number>();
  /** The account that was given a place last is the last one, so that accounts which hold as much take turns. */
  readonly #waiting = new Map<string, Set<Waiter>>();

  constructor(count: number) {
    this.#count = count;
    this.#shareMax = Math.max(1, Math.floor(count * SHARE_MAX));
  }

  /** Takes a place, or returns false. Nobody is overtaken: while one is free, only accounts that hold their share wait. */
  take(accountId: string): boolean {
    if (this.#taken >= this.#count || this.#countHeld(accountId) >= this.#shareMax) return false;
    this.#add(accountId);
    return true;
  }

  /** Waits for a place. A wait that ends without one must be withdrawn. */
  wait(accountId: string, nowMs: number, give: () => void): Waiter {
    const waiter: Waiter = { accountId, untilMs: nowMs + WAIT_MS, give, hasPlace: false };
    this.#waiting.getOrInsertComputed(accountId, () => new Set()).add(waiter);
    return waiter;
  }

  /** Ends a wait. A place that it has been given meanwhile goes to the next. */
  withdraw(waiter: Waiter, nowMs: number): void {
    if (waiter.hasPlace) this.leave(waiter.accountId, nowMs);
    else this.#drop(waiter);
  }

  /** Ends the use of a place, which goes to the next call that waits. */
  leave(accountId: string, nowMs: number): void {
    const held = this.#countHeld(accountId) - 1;
    this.#taken--;
    if (held > 0) this.#held.set(accountId, held);
    else this.#held.delete(accountId);
    const next = this.#waiting.size === 0 ? null : this.#findNext(nowMs);
    if (next !== null) this.#give(next);
  }

  #findNext(nowMs: number): Waiter | null {
    let next: Waiter | null = null;
    let least = this.#shareMax;
    for (const accountId of this.#waiting.keys()) {
      const held = this.#countHeld(accountId);
      if (held >= least) continue;
      const oldest = this.#findOldest(accountId, nowMs);
      if (oldest === null) continue;
      next = oldest;
      least = held;
    }
    return next;
  }

  /** Waiters whose time is over are dropped: each has a deadline of its own that ends it. */
  #findOldest(accountId: string, nowMs: number): Waiter | null {
    for (const waiter of this.#waiting.get(accountId) ?? []) {
      if (waiter.untilMs > nowMs) return waiter;
      this.#drop(waiter);
    }
    return null;
  }

  #give(waiter: Waiter): void {
    const { accountId } = waiter;
    this.#drop(waiter);
    const others = this.#waiting.get(accountId);
    if (others !== undefined) {
      this.#waiting.delete(accountId);
      this.#waiting.set(accountId, others);
    }
    this.#add(accountId);
    waiter.hasPlace = true;
    waiter.give();
  }

  #drop(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.accountId);
    if (waiters?.delete(waiter) && waiters.size === 0) this.#waiting.delete(waiter.accountId);
  }

  #add(accountId: string): void {
    this.#taken++;
    this.#held.set(accountId, this.#countHeld(accountId) + 1);
  }

  #countHeld(accountId: string): number {
    return this.#held.get(accountId) ?? 0;
  }
}
