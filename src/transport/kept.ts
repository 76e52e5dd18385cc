// Counts kept connections, because a call over one that its server has closed may be repeated.

/** Bun keeps idle connections for five minutes, checked once a minute, and at most 64 per host. */
const KEPT_MS = 7 * 60_000;
const KEPT_MAX = 64;
const ORIGINS_MAX = 1000;

interface IdleConnections {
  count: number;
  lastMs: number;
}

/**
 * `fetch` doesn't say whether it used a kept connection. It uses one if it has one, and it has at most one per answer
 * read to its end: with none left, the connection is new.
 */
export class KeptConnections {
  readonly #idle = new Map<string, IdleConnections>();

  /** Adds the connection of an answer that was read to its end. */
  keep(origin: string, nowMs: number): void {
    const count = Math.min(this.#count(origin, nowMs) + 1, KEPT_MAX);
    const idle = this.#idle.get(origin);
    if (idle !== undefined) {
      idle.count = count;
      idle.lastMs = nowMs;
      return;
    }
    if (this.#idle.size >= ORIGINS_MAX) this.#idle.clear();
    this.#idle.set(origin, { count, lastMs: nowMs });
  }

  /** Takes a connection for an outgoing call. Returns false if its connection is certainly new. */
  take(origin: string, nowMs: number): boolean {
    const idle = this.#idle.get(origin);
    if (!idle || this.#count(origin, nowMs) === 0) return false;
    idle.count--;
    return true;
  }

  #count(origin: string, nowMs: number): number {
    const idle = this.#idle.get(origin);
    return idle && nowMs - idle.lastMs < KEPT_MS ? idle.count : 0;
  }
}
