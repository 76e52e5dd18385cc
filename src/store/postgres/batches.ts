// Batches demands into transactions: while one is running, further demands gather for the next, on a single server those of
// many accounts for one.
import type { Decide } from "../../core/decision.ts";
import type { Answer, Demand } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
import { unavailable } from "../engine/unavailable.ts";
import { answerAll, answerWaiting, tooMany, WAITING_DEMANDS_MAX, type Waiting } from "../engine/waiting.ts";
import { type Bounds, runBatch } from "./batch.ts";
import { CONNECTIONS_MAX, LateError } from "./failures.ts";
import type { Pool } from "./pool.ts";
import { mayShare, Room } from "./room.ts";

/** Bounds the locks that a transaction holds, and how many accounts wait for the slowest of them. */
const BATCH_ACCOUNTS_MAX = 64;
/** The longest that accounts gather for a shared transaction while another is running: a server far away commits slowly. */
const GATHER_MS = 20;
/** Two connections are left for lookups. */
const BATCHES_AT_ONCE_MAX = CONNECTIONS_MAX - 2;
/**
 * Bounds the turns of slow accounts. Their machine may not be answering: 8 such batches would hold every turn for
 * seconds and block the accounts of all other machines.
 */
const SLOW_BATCHES_MAX = 2;
const SLOW_ACCOUNTS_MAX = 10_000;
/** Below 1, because timers and the server's own limits end slightly early. */
const SLOW_SHARE = 0.9;
const SWEEP_MS = 100;

interface DemandBatchParts {
  readonly pool: Pool;
  readonly decide: Decide;
  /** The longest wait for a turn before a demand fails. */
  readonly waitMs: number;
  readonly bounds: Bounds;
}

export class Batches {
  readonly #parts: DemandBatchParts;
  /** By account. An account in the map has a running batch or is in line for a turn. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** Accounts whose demands share a transaction with those of others. */
  readonly #sharedLine: string[] = [];
  /** Accounts whose next transaction is their own. */
  readonly #line: string[] = [];
  readonly #slowLine: string[] = [];
  /** Accounts whose last batch used up its time, or which somebody else had locked. */
  readonly #slow = new Set<string>();
  #slowRunning = 0;
  #sharedRunning = 0;
  #sharedSinceMs = 0;
  #demands = 0;
  #running = 0;
  #isOwnNext = false;
  #willStart = false;
  #willGather = false;
  #willSweep = false;
  #idle: (() => void)[] = [];
  #closed = false;

  constructor(parts: DemandBatchParts) {
    this.#parts = parts;
  }

  add(demand: Demand): Promise<Answer> {
    if (this.#closed) return Promise.reject(unavailable("The store is closed."));
    if (this.#demands >= WAITING_DEMANDS_MAX) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const waiting = { demand, sinceMs: performance.now(), resolve, reject };
      this.#demands++;
      this.#sweepLater();
      const queue = this.#waiting.get(demand.accountId);
      if (queue) {
        queue.push(waiting);
        return;
      }
      this.#waiting.set(demand.accountId, [waiting]);
      this.#lineUp(demand.accountId);
      this.#startLater();
    });
  }

  /** Refuses new demands and waits until all earlier ones are answered. */
  async drain(): Promise<void> {
    this.#closed = true;
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Demands of the same event loop turn become one batch. */
  #startLater(): void {
    if (this.#willStart) return;
    this.#willStart = true;
    setImmediate(() => {
      this.#willStart = false;
      this.#startNext();
    });
  }

  #lineUp(accountId: string): void {
    const [next] = this.#waiting.get(accountId) ?? [];
    if (this.#slow.has(accountId)) this.#slowLine.push(accountId);
    else if (this.#parts.pool.traits.isDistributed || (next && !mayShare(next))) this.#line.push(accountId);
    else this.#sharedLine.push(accountId);
  }

  /** Shared transactions and those of one account begin in turn: while the database is slow, both always wait. */
  #startNext(): void {
    while (this.#running < BATCHES_AT_ONCE_MAX) {
      const hasBegun = this.#isOwnNext
        ? this.#startOwn() || this.#startShared()
        : this.#startShared() || this.#startOwn();
      if (!hasBegun) return;
    }
  }

  #startShared(): boolean {
    if (!this.#hasGathered()) return false;
    this.#isOwnNext = true;
    void this.#runShared(this.#sharedLine.splice(0, BATCH_ACCOUNTS_MAX));
    return true;
  }

  #startOwn(): boolean {
    const slow = this.#slowRunning < SLOW_BATCHES_MAX ? this.#slowLine.shift() : undefined;
    const accountId = slow ?? this.#line.shift();
    if (accountId === undefined) return false;
    this.#isOwnNext = false;
    void this.#runOwn(accountId, slow !== undefined);
    return true;
  }

  /** True if a shared transaction may begin. While another runs, accounts gather for it, but not for long. */
  #hasGathered(): boolean {
    if (this.#sharedLine.length === 0) return false;
    const leftMs = this.#sharedSinceMs + GATHER_MS - performance.now();
    if (this.#sharedRunning === 0 || leftMs <= 0 || this.#sharedLine.length >= BATCH_ACCOUNTS_MAX)
      return true;
    if (!this.#willGather) {
      this.#willGather = true;
      setTimeout(() => {
        this.#willGather = false;
        this.#startNext();
      }, leftMs);
    }
    return false;
  }

  /** Takes demands off an account's queue for as long as they fit. */
  #take(accountId: string, fits: (next: Waiting) => boolean): readonly Waiting[] {
    const queue = this.#waiting.get(accountId) ?? [];
    const end = queue.findIndex((next) => !fits(next));
    const taken = queue.splice(0, end === -1 ? queue.length : end);
    this.#demands -= taken.length;
    return taken;
  }

  async #runShared(accountIds: readonly string[]): Promise<void> {
    this.#running++;
    this.#sharedRunning++;
    const beganMs = performance.now();
    this.#sharedSinceMs = beganMs;
    const room = new Room();
    const taken = accountIds.map((id) => this.#take(id, (next) => mayShare(next) && room.take(next)));
    const served = accountIds.filter((_, at) => taken[at]?.length !== 0);
    // The others found no room: they are next, not once more behind the same busy accounts.
    this.#lineUpAgain(accountIds.filter((id) => !served.includes(id)));
    const [only, ...others] = served;
    if (only !== undefined) {
      const undecided = await this.#answerShared(taken.flat());
      if (others.length === 0) this.#noteTime(only, performance.now() - beganMs);
      this.#giveBack(undecided);
    }
    this.#sharedRunning--;
    this.#end(served);
  }

  /** Returns the demands that are decided again, each account's in its own transaction: nothing of them was written. */
  async #answerShared(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    try {
      const answers = await this.#decide(batch.map(({ demand }) => demand));
      const isBusy = (_: Waiting, at: number) => answers[at] === null;
      answerWaiting(
        batch.filter((one, at) => !isBusy(one, at)),
        answers.filter((one) => one !== null),
      );
      return batch.filter(isBusy);
    } catch (error) {
      // The database refuses one of them: the others don't fail with it.
      if (!(error instanceof Fault)) return batch;
      for (const { reject } of batch) reject(error);
      return [];
    }
  }

  /** Puts demands back in front of their accounts' queues. */
  #giveBack(demands: readonly Waiting[]): void {
    for (const [accountId, own] of Map.groupBy(demands, ({ demand }) => demand.accountId)) {
      if (this.#slow.size < SLOW_ACCOUNTS_MAX) this.#slow.add(accountId);
      this.#waiting.get(accountId)?.unshift(...own);
      this.#demands += own.length;
    }
    if (demands.length > 0) this.#sweepLater();
  }

  async #runOwn(accountId: string, isSlow: boolean): Promise<void> {
    this.#running++;
    if (isSlow) this.#slowRunning++;
    const batch = this.#take(accountId, new Room().take);
    const beganMs = performance.now();
    if (batch.length > 0) {
      await answerAll(batch, async (demands) => (await this.#decide(demands)).filter((one) => one !== null));
      this.#noteTime(accountId, performance.now() - beganMs);
    }
    if (isSlow) this.#slowRunning--;
    this.#end([accountId]);
  }

  #decide(demands: readonly Demand[]): Promise<readonly (Answer | null)[]> {
    const { pool, decide, bounds } = this.#parts;
    return runBatch(pool, decide, demands, bounds);
  }

  /** Records whether the account's batch used up its time. */
  #noteTime(accountId: string, tookMs: number): void {
    if (tookMs < this.#parts.bounds.workMs * SLOW_SHARE) this.#slow.delete(accountId);
    else if (this.#slow.size < SLOW_ACCOUNTS_MAX) this.#slow.add(accountId);
  }

  /** Ends a turn. An account with more demands goes to the end of the line, so a busy one never blocks others. */
  #end(accountIds: readonly string[]): void {
    this.#running--;
    this.#lineUpAgain(accountIds);
    this.#startNext();
    if (this.#waiting.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #lineUpAgain(accountIds: readonly string[]): void {
    for (const accountId of accountIds) {
      if (this.#waiting.get(accountId)?.length) this.#lineUp(accountId);
      else this.#waiting.delete(accountId);
    }
  }

  #sweepLater(): void {
    if (this.#willSweep) return;
    this.#willSweep = true;
    setTimeout(() => {
      this.#willSweep = false;
      this.#sweep();
      if (this.#demands > 0) this.#sweepLater();
    }, SWEEP_MS);
  }

  /** Rejects demands that waited too long. Nothing of them was sent, so their failure is certain. */
  #sweep(): void {
    const beforeMs = performance.now() - this.#parts.waitMs;
    for (const queue of this.#waiting.values()) {
      const inTime = queue.findIndex(({ sinceMs }) => sinceMs >= beforeMs);
      const late = queue.splice(0, inTime === -1 ? queue.length : inTime);
      this.#demands -= late.length;
      for (const { reject } of late)
        reject(unavailable(new LateError("The database did not answer in time.")));
    }
  }
}
