// Makes what was committed survive a power failure: one sync of the write-ahead log for all who wait, beside the event loop.
import { closeSync, fdatasync, openSync } from "node:fs";
import { unavailable } from "../unavailable.ts";
import type { Lifeline } from "./lifeline.ts";
import { nextTurn } from "./turns.ts";

/** Under load a sync begins no sooner after the one before; every provider takes longer to begin its answer. */
const WINDOW_MS = 4;
/** The most that wait within this window and the one before for their syncs to begin at once. */
const FEW = 4;

/** They follow each other: a caller that comes while one runs may have committed after it began, and shares the next. */
export class Syncs {
  readonly #path: string;
  readonly #lifeline: Lifeline;
  readonly #asked = new Frequency();
  #running: Promise<void> = Promise.resolve();
  #gathering: Promise<void> | null = null;
  #startedMs = 0;

  constructor(path: string, lifeline: Lifeline) {
    this.#path = path;
    this.#lifeline = lifeline;
  }

  /** Resolves when everything committed before this call is on disk. Throws the Fault `store_unavailable`. */
  sync(): Promise<void> {
    this.#asked.count();
    this.#gathering ??= this.#gather();
    return this.#gathering;
  }

  async #gather(): Promise<void> {
    await this.#running;
    // All whom one transaction has answered ask within one turn.
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
    // After a failure nothing counts as written before the file was found sound: a second sync would succeed regardless.
    await this.#lifeline.run(() => undefined);
    try {
      await syncLog(this.#path);
    } catch (error) {
      // The system may have forgotten what it could not write: only the file itself can tell what is there.
      this.#lifeline.distrust();
      throw unavailable(error);
    }
  }
}

/** Counts calls within the present window of time and the one before. */
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

/** The log is opened again each time: a descriptor kept open would outlive a file that was replaced. */
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
