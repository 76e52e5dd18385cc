// Makes commits survive a power failure: one sync of the write-ahead log for all waiting callers, off the event loop.
import { closeSync, fdatasync, openSync } from "node:fs";
import type { Clock } from "../../core/world/world.ts";
import { unavailable } from "../engine/unavailable.ts";
import { type Connector, LOCKED } from "./connector.ts";

/** Shared syncs start at most this often. Every provider takes longer to start its answer. */
const WINDOW_MS = 4;
/** A sync with more callers than this is shared. A client that waits for each answer would only wait longer for it. */
const FEW = 2;

/** Runs one sync at a time. A caller during one may have committed after its start, so it shares the next. */
export class LogSync {
  readonly #path: string;
  readonly #connector: Connector;
  #isRunning = false;
  /** The promise of the next sync, which all of its callers share. */
  #next: PromiseWithResolvers<void> | null = null;
  /** The callers of the next sync, and those of the one before. */
  #callers = 0;
  #callersBefore = 0;
  #startedMs = 0;

  constructor(path: string, connector: Connector) {
    this.#path = path;
    this.#connector = connector;
  }

  /**
   * Resolves when everything committed before this call is on disk. Throws the Fault `store_unavailable`, which a caller may
   * leave unread.
   */
  sync(): Promise<void> {
    this.#callers += 1;
    if (this.#next === null) {
      this.#next = Promise.withResolvers<void>();
      // All callers of one transaction call within one turn.
      if (!this.#isRunning) setImmediate(this.#begin);
    }
    return this.#next.promise;
  }

  readonly #begin = (): void => {
    const restMs = this.#startedMs + WINDOW_MS - performance.now();
    const isShared = Math.max(this.#callers, this.#callersBefore) > FEW;
    if (restMs > 0 && isShared) setTimeout(this.#run, restMs);
    else this.#run();
  };

  readonly #run = (): void => {
    const shared = this.#next;
    if (shared === null) return;
    this.#callersBefore = this.#callers;
    this.#callers = 0;
    this.#next = null;
    this.#isRunning = true;
    this.#startedMs = performance.now();
    const end = (error: unknown) => this.#end(shared, error);
    try {
      // After a failed sync, nothing counts as written until the file is checked: a second sync would succeed regardless.
      const checked = this.#connector.runNow(() => null);
      if (checked === LOCKED) this.#connector.run(() => undefined).then(() => this.#sync(end), end);
      else this.#sync(end);
    } catch (error) {
      end(error);
    }
  };

  /** Answers all who waited for a sync. The error is null if it succeeded. */
  #end(shared: PromiseWithResolvers<void>, error: unknown): void {
    this.#isRunning = false;
    if (this.#next !== null) setImmediate(this.#begin);
    if (error === null) {
      shared.resolve();
      return;
    }
    shared.promise.catch(() => {});
    shared.reject(error);
  }

  #sync(end: (error: unknown) => void): void {
    syncLog(this.#path, (error) => {
      // The system may have dropped what it could not write: only the file itself shows what was written.
      if (error !== null) this.#connector.distrust();
      end(error === null ? null : unavailable(error));
    });
  }
}

/** Opens the log each time: an open descriptor would outlive a replaced file. */
function syncLog(path: string, end: (error: unknown) => void): void {
  let log: number;
  try {
    log = openSync(`${path}-wal`, "r+");
  } catch (error) {
    end(error);
    return;
  }
  fdatasync(log, (error) => {
    closeSync(log);
    end(error ?? null);
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
