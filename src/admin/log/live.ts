// The feed of requests on all nodes as they end. It polls the store every second while it has listeners.
import { Fault } from "../../core/faults/fault.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import { EVERYTHING, type Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { LivePlaces } from "./live-places.ts";

const PERIOD_MS = 1000;
/** Each poll looks this far back: other nodes' clocks may lag, and rows may be written some time after the end. */
const BACK_MS = 10_000;
/** The maximum number of rows per poll, latest first. Any beyond it are skipped and not counted. */
const LOOKED_AT_MAX = 500;
/** The maximum number of rows sent at once, more than anyone can read. */
const ROWS_MAX = 100;

/** Receives the requests that ended since the last call, oldest first, and how many more were left out. */
type Listen = (records: readonly RequestRecord[], skipped: number) => void;

/** A sender who listens, and the rows that they see. */
export interface LiveListener {
  readonly scope: Scope;
  /** The places are shared among senders. */
  readonly sender: string;
}

interface LiveParts {
  readonly store: Pick<Store, "endedSince">;
  readonly clock: Pick<Clock, "every" | "nowMs">;
}

/** A scope that is watched, and by how many. */
interface WatchedFeed {
  readonly feed: ScopedFeed;
  listeners: number;
}

/** Watches each scope with a query of its own, which it shares among the scope's listeners. */
export class LiveFeed {
  readonly #parts: LiveParts;
  readonly #watched = new Map<string, WatchedFeed>();
  readonly #places = new LivePlaces();
  #hasEnded = false;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /**
   * Sends what ends within the scope after this resolves, until the returned function is called, or the feed ends or gives
   * the place to another sender, and calls `onEnd`. Without a listener, all requests. Throws the Faults `overloaded`,
   * `too_many_parallel_requests`, `store_unavailable` and `shutting_down`.
   */
  async listen(
    listen: Listen,
    onEnd: () => void,
    { scope, sender }: LiveListener = { scope: EVERYTHING, sender: "" },
  ): Promise<() => void> {
    let stop = () => {};
    const end = () => {
      stop();
      leave();
      onEnd();
    };
    const watcher = { sender, leave: end };
    this.#places.take(watcher);
    const name = JSON.stringify(scope);
    const makeWatched = () => ({ feed: new ScopedFeed(this.#parts, scope), listeners: 0 });
    const watched = this.#watched.getOrInsertComputed(name, makeWatched);
    watched.listeners++;
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#places.free(watcher);
      if (--watched.listeners === 0) this.#watched.delete(name);
    };
    try {
      stop = await watched.feed.listen(listen, end);
      const leaveFeed = () => {
        stop();
        leave();
      };
      if (!this.#hasEnded && !hasLeft) return leaveFeed;
      leaveFeed();
      throw new Fault("shutting_down", "The gateway is shutting down.");
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Removes all listeners, and takes no more. */
  end(): void {
    this.#hasEnded = true;
    for (const { feed } of [...this.#watched.values()]) feed.end();
  }
}

class ScopedFeed {
  readonly #parts: LiveParts;
  readonly #scope: Scope;
  readonly #listeners = new Map<Listen, () => void>();
  /** The end times of the requests already sent, by id. */
  readonly #seen = new Map<string, number>();
  #callOff = () => {};
  #polling: Promise<void> | null = null;
  #opening: Promise<void> | null = null;

  constructor(parts: LiveParts, scope: Scope) {
    this.#parts = parts;
    this.#scope = scope;
  }

  async listen(listen: Listen, onEnd: () => void): Promise<() => void> {
    // A first listener must not get requests that have already ended. Those who come together share one look, since what a
    // second found would be new to the listener of the first.
    if (this.#listeners.size === 0) {
      this.#opening ??= this.#open();
      await this.#opening;
    }
    if (this.#listeners.size === 0)
      this.#callOff = this.#parts.clock.every(PERIOD_MS, () => void this.#poll());
    this.#listeners.set(listen, onEnd);
    return () => this.#leave(listen);
  }

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

  async #open(): Promise<void> {
    try {
      await this.#fresh();
    } finally {
      this.#opening = null;
    }
  }

  /** Polls the store, one poll at a time. Never rejects: an unusable store counts as nothing new. */
  #poll(): Promise<void> {
    this.#polling ??= this.#fresh()
      .then((fresh) => {
        if (fresh.length === 0) return;
        const shown = fresh.slice(-ROWS_MAX);
        for (const listen of this.#listeners.keys()) listen(shown, fresh.length - shown.length);
      })
      .catch(() => {})
      .finally(() => {
        this.#polling = null;
      });
    return this.#polling;
  }

  /** Returns the requests not seen yet, oldest first. */
  async #fresh(): Promise<readonly RequestRecord[]> {
    const sinceMs = this.#parts.clock.nowMs() - BACK_MS;
    const ended = await this.#parts.store.endedSince(sinceMs, LOOKED_AT_MAX, this.#scope);
    const fresh = ended.filter(({ id }) => !this.#seen.has(id)).toReversed();
    for (const { id, atMs, totalMs } of fresh) this.#seen.set(id, atMs + totalMs);
    for (const [id, endedMs] of this.#seen) if (endedMs < sinceMs - BACK_MS) this.#seen.delete(id);
    return fresh;
  }
}
