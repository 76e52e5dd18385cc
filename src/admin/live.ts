// The requests of all nodes as they end: the store is asked every second while somebody listens.
import { Fault } from "../core/fault.ts";
import type { RequestRecord } from "../core/record.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world.ts";

const PERIOD_MS = 1000;
/** So far back is looked each time: other nodes' clocks may be behind, and a row may be written some time after its end. */
const BACK_MS = 10_000;
/** At each look, the latest first: beyond so many some are passed over, uncounted. */
const LOOKED_AT_MAX = 500;
/** The maximum number of rows passed on at once; nobody can read more. */
const ROWS_MAX = 100;
const LISTENERS_MAX = 20;

/** Receives the requests that ended since its last call, oldest first, and how many more were left out. */
type Listen = (records: readonly RequestRecord[], skipped: number) => void;

interface LiveParts {
  readonly store: Pick<Store, "endedSince">;
  readonly clock: Pick<Clock, "every" | "nowMs">;
}

export class LiveFeed {
  readonly #parts: LiveParts;
  readonly #listeners = new Map<Listen, () => void>();
  /** Those that were handed on, by id, with the moment of their end. */
  readonly #seen = new Map<string, number>();
  #callOff = () => {};
  #looking: Promise<void> | null = null;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /**
   * Hands on what ends from when this resolves, until the given function is called, or the feed ends and calls `onEnd`.
   * Throws the Faults `overloaded` and `store_unavailable`.
   */
  async listen(listen: Listen, onEnd: () => void): Promise<() => void> {
    // Requests that have ended already are not news to a new reader.
    if (this.#listeners.size === 0) await this.#fresh();
    if (this.#listeners.size >= LISTENERS_MAX)
      throw new Fault("overloaded", "Too many listen to the requests already.");
    if (this.#listeners.size === 0)
      this.#callOff = this.#parts.clock.every(PERIOD_MS, () => void this.#look());
    this.#listeners.set(listen, onEnd);
    return () => this.#leave(listen);
  }

  /** Sends all listeners away. */
  end(): void {
    for (const [listen, onEnd] of [...this.#listeners]) {
      this.#leave(listen);
      onEnd();
    }
  }

  #leave(listen: Listen): void {
    if (!this.#listeners.delete(listen) || this.#listeners.size > 0) return;
    this.#callOff();
    this.#seen.clear();
  }

  /** Never twice at once, and never rejects: while the store can't be used there is nothing new. */
  #look(): Promise<void> {
    this.#looking ??= this.#fresh()
      .then((fresh) => {
        if (fresh.length === 0) return;
        const shown = fresh.slice(-ROWS_MAX);
        for (const listen of this.#listeners.keys()) listen(shown, fresh.length - shown.length);
      })
      .catch(() => {})
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  /** Those that were not seen yet, oldest first. */
  async #fresh(): Promise<readonly RequestRecord[]> {
    const sinceMs = this.#parts.clock.nowMs() - BACK_MS;
    const ended = await this.#parts.store.endedSince(sinceMs, LOOKED_AT_MAX);
    const fresh = ended.filter(({ id }) => !this.#seen.has(id)).toReversed();
    for (const { id, atMs, totalMs } of fresh) this.#seen.set(id, atMs + totalMs);
    for (const [id, endedMs] of this.#seen) if (endedMs < sinceMs - BACK_MS) this.#seen.delete(id);
    return fresh;
  }
}
