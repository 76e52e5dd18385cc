// Makes commits survive a power failure: one sync of the write-ahead log for all waiting callers, off the event loop.
import { closeSync, fdatasync, openSync } from "node:fs";
import { unavailable } from "../unavailable.ts";
import type { Connector } from "./connector.ts";
import { nextTurn } from "./turns.ts";

/** Under load syncs start at most this often. Every provider takes longer to start its answer. */
const WINDOW_MS = 4;
/** Up to this many calls, in this window and the one before, sync at once. */
const FEW = 4;

/** Runs one sync at a time. A caller during one may have committed after its start, so it shares the next. */
export class LogSync {
  readonly #path: string;
  readonly #connector: Connector;
  readonly #asked = new Frequency();
  #running: Promise<void> = Promise.resolve();
  #gathering: Promise<void> | null = null;
  #startedMs = 0;

  constructor(path: string, connector: Connector) {
    this.#path = path;
    this.#connector = connector;
  }

  /** Resolves when everything committed before this call is on disk. Throws the Fault `store_unavailable`. */
  sync(): Promise<void> {
    this.#asked.count();
    this.#gathering ??= this.#gather();
    return this.#gathering;
  }

  async #gather(): Promise<void> {
    await this.#running;
    // All callers of one transaction call within one turn.
    await nextTurn();
    const restMs = this.#startedMs + WINDOW_MS - performance.now();
    if (restMs > 0 && this.#asked.isMoreThan(FEW)) await Bun.sleep(restMs);
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

/** Counts calls in the current time window and the one before. */
class Frequency {
  #windowMs = 0;
  #calls = 0;
  #before = 0;

  count(): void {
    this.#advance();
    this.#calls += 1;
  }

  isMoreThan(most: number): boolean {
    this.#advance();
    return this.#calls + this.#before > most;
  }

  #advance(): void {
    const passedMs = performance.now() - this.#windowMs;
    if (passedMs < WINDOW_MS) return;
    this.#before = passedMs < 2 * WINDOW_MS ? this.#calls : 0;
    this.#calls = 0;
    this.#windowMs += passedMs;
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
