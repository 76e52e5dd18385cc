// Batches demands into transactions: while one of an account is running, its further demands gather for the next.
import type { Decide } from "../../core/decision.ts";
import type { Answer, Demand } from "../../core/demand.ts";
import { unavailable } from "../engine/unavailable.ts";
import { answerAll, tooMany, WAITING_DEMANDS_MAX, type Waiting } from "../engine/waiting.ts";
import { type Bounds, runBatch } from "./batch.ts";
import { CONNECTIONS_MAX, LateError } from "./failures.ts";
import type { Pool } from "./pool.ts";

const BATCH_DEMANDS_MAX = 500;
/** Bounds the stored replies in one statement. */
const BATCH_CHARACTERS_MAX = 8 * 1024 * 1024;
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

interface BatchesParts {
  readonly pool: Pool;
  readonly decide: Decide;
  /** The longest wait for a turn before a demand fails. */
  readonly waitMs: number;
  readonly bounds: Bounds;
}

export class Batches {
  readonly #parts: BatchesParts;
  /** By account. An account in the map has a running batch or is in line for a turn. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #line: string[] = [];
  readonly #slowLine: string[] = [];
  /** Accounts whose last batch used up its time. */
  readonly #slow = new Set<string>();
  #slowRunning = 0;
  #demands = 0;
  #running = 0;
  #willSweep = false;
  #idle: (() => void)[] = [];
  #closed = false;

  constructor(parts: BatchesParts) {
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
      // Demands of the same event loop turn become one batch.
      setImmediate(() => this.#queueUp(demand.accountId));
    });
  }

  /** Refuses new demands and waits until all earlier ones are answered. */
  async drain(): Promise<void> {
    this.#closed = true;
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #queueUp(accountId: string): void {
    this.#lineUp(accountId);
    this.#startNext();
  }

  #lineUp(accountId: string): void {
    if (this.#slow.has(accountId)) this.#slowLine.push(accountId);
    else this.#line.push(accountId);
  }

  #startNext(): void {
    while (this.#running < BATCHES_AT_ONCE_MAX) {
      const slow = this.#slowRunning < SLOW_BATCHES_MAX ? this.#slowLine.shift() : undefined;
      const accountId = slow ?? this.#line.shift();
      if (accountId === undefined) return;
      this.#running++;
      if (slow !== undefined) this.#slowRunning++;
      void this.#turn(accountId, slow !== undefined);
    }
  }

  /** Records whether the account's batch used up its time. */
  #noteTime(accountId: string, tookMs: number): void {
    if (tookMs < this.#parts.bounds.workMs * SLOW_SHARE) this.#slow.delete(accountId);
    else if (this.#slow.size < SLOW_ACCOUNTS_MAX) this.#slow.add(accountId);
  }

  /** Runs one batch. An account with more demands goes to the end of the line, so a busy one never blocks others. */
  async #turn(accountId: string, isSlow: boolean): Promise<void> {
    const queue = this.#waiting.get(accountId) ?? [];
    const batch = queue.splice(0, batchLength(queue));
    this.#demands -= batch.length;
    const beganMs = performance.now();
    if (batch.length > 0) {
      await this.#run(batch);
      this.#noteTime(accountId, performance.now() - beganMs);
    }
    this.#running--;
    if (isSlow) this.#slowRunning--;
    if (queue.length > 0) this.#lineUp(accountId);
    else this.#waiting.delete(accountId);
    this.#startNext();
    if (this.#waiting.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #run(batch: readonly Waiting[]): Promise<void> {
    const { pool, decide, bounds } = this.#parts;
    return answerAll(batch, (demands) => runBatch(pool, decide, demands, bounds));
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

/** Returns how many waiting demands fit in one batch: at least one. */
function batchLength(queue: readonly Waiting[]): number {
  let characters = 0;
  const tooMany = queue.findIndex(({ demand }, at) => {
    characters += demand.kind === "settle" ? (demand.sealedReply?.length ?? 0) : 0;
    return at > 0 && (at >= BATCH_DEMANDS_MAX || characters > BATCH_CHARACTERS_MAX);
  });
  return tooMany === -1 ? queue.length : tooMany;
}
