// The conversations whose turns this process let in a moment ago: a prompt that goes on is still in its model's cache.

/** Anthropic Messages API, "Prompt caching": a cached prompt is kept for five minutes after it was last read. */
const RECENT_MS = 300_000;
const TURNS_MAX = 50_000;

/** Times are on the monotonic clock. */
export class RecentTurns {
  /** When a conversation's last turn came to a model, by the names of both, the oldest first. */
  readonly #cameMs = new Map<string, number>();

  /** Notes a turn. True if one of the same conversation came within five minutes before it. */
  note(name: string, nowMs: number): boolean {
    const before = this.#cameMs.get(name);
    this.#cameMs.delete(name);
    this.#cameMs.set(name, nowMs);
    for (const [oldest, cameMs] of this.#cameMs) {
      if (this.#cameMs.size <= TURNS_MAX && nowMs - cameMs <= RECENT_MS) break;
      this.#cameMs.delete(oldest);
    }
    return before !== undefined && nowMs - before <= RECENT_MS;
  }
}
