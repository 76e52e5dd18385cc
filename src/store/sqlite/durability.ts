// Makes commits survive a power failure: one sync of the write-ahead log for all waiting callers, off the event loop.
import { closeSync, fdatasync, openSync } from "node:fs";
import type { Clock } from "../../core/world/world.ts";
import { nextTurn } from "../engine/turns.ts";
import { unavailable } from "../engine/unavailable.ts";
import type { Connector } from "./connector.ts";

/** Shared syncs start at most this often. Every provider takes longer to start its answer. */
const WINDOW_MS = 4;
/** A sync with more callers than this is shared. A client that waits for each answer would only wait longer for it. */
const FEW = 2;

/** Runs one sync at a time. A caller during one may have committed after its start, so it shares the next. */
export class LogSync {
  readonly #path: string;
  readonly #connector: Connector;
  #running: Promise<void> = Promise.resolve();
  #gathering: Promise<void> | null = null;
  /** The callers of the sync that is gathering, and those of the one before. */
  #callers = 0;
  #callersBefore = 0;
  #startedMs = 0;

  constructor(path: string, connector: Connector) {
    this.#path = path;
    this.#connector = connector;
  }

  /** Resolves when everything committed before this call is on disk. Throws the Fault `store_unavailable`. */
  sync(): Promise<void> {
    this.#callers += 1;
    this.#gathering ??= this.#gather();
    return this.#gathering;
  }

  async #gather(): Promise<void> {
    await this.#running;
    // All callers of one transaction call within one turn.
    await nextTurn();
    const restMs = this.#startedMs + WINDOW_MS - performance.now();
    if (restMs > 0 && Math.max(this.#callers, this.#callersBefore) > FEW) await Bun.sleep(restMs);
    this.#callersBefore = this.#callers;
    this.#callers = 0;
    this.#gathering = null;
    this.#startedMs = performance.now();
    const done = this.#run();
    this.#running = done.catch(() => {});
    return done;
  }

  async #run(): Promise<void> {
    // After a failed sync, nothing counts as written until the file is checked: a second sync would succeed regardless.
    await this.#connector.run(() => undefined);
    try {
      await syncLog(this.#path);
    } catch (error) {
      // The system may have dropped what it could not write: only the file itself shows what was written.
      this.#connector.distrust();
      throw unavailable(error);
    }
  }
}

/** Opens the log each time: an open descriptor would outlive a replaced file. */
function syncLog(path: string): Promise<void> {
  const log = openSync(`${path}-wal`, "r+");
  return new Promise((resolve, reject) => {
    fdatasync(log, (error) => {
      closeSync(log);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Long enough that a busy store never gets here. */
const QUIET_MS = 1000;

type Time = Pick<Clock, "monotonicMs" | "after">;

/** Its timers keep no process alive. */
const REAL_TIME: Time = {
  monotonicMs: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Syncs the log once nothing has been written for a second. The next paid request would sync it too, but on a quiet
 * gateway the last answer's charge would otherwise wait for the kernel's own writing, up to half a minute.
 */
export class QuietSync {
  readonly #sync: () => Promise<void>;
  readonly #time: Time;
  #forget: (() => void) | null = null;
  #writtenMs = 0;

  constructor(sync: () => Promise<void>, time = REAL_TIME) {
    this.#sync = sync;
    this.#time = time;
  }

  /** Call this after each transaction. */
  note(): void {
    this.#writtenMs = this.#time.monotonicMs();
    if (this.#forget === null) this.#look(QUIET_MS);
  }

  stop(): void {
    this.#forget?.();
  }

  #look(afterMs: number): void {
    this.#forget = this.#time.after(afterMs, () => {
      this.#forget = null;
      const restMs = this.#writtenMs + QUIET_MS - this.#time.monotonicMs();
      if (restMs > 0) this.#look(restMs);
      // A failed sync makes the store check its file, and its next user reports that.
      else void this.#sync().catch(() => {});
    });
  }
}
