// The limit of what is free and takes no slot, such as the count of a prompt's tokens: a rate for each key.
import { Fault } from "../../core/faults/fault.ts";

const MINUTE_MS = 60_000;
/** The maximum number of keys remembered. The least recently used are dropped first. */
const KEYS_MAX = 10_000;

interface CountBudget {
  /** Counts that may be made now. */
  left: number;
  atMs: number;
  open: number;
}

interface CountingBounds {
  /** The counted act, in a sentence: "A key may count tokens …". */
  readonly what: string;
  /** The same as things: "at most 4 token counts at once". */
  readonly things: string;
  readonly perMinute: number;
  readonly atOnce: number;
}

const TOKEN_COUNTS: CountingBounds = {
  what: "count tokens",
  things: "token counts",
  perMinute: 60,
  atOnce: 4,
};

export class CountingLimit {
  readonly #byKey = new Map<string, CountBudget>();
  readonly #bounds: CountingBounds;

  constructor(bounds: Partial<CountingBounds> = {}) {
    this.#bounds = { ...TOKEN_COUNTS, ...bounds };
  }

  /** Begins a count, and returns what ends it. Throws a Fault if the key counts too often or too much at once. */
  begin(keyId: string, nowMs: number): () => void {
    const { what, things, perMinute, atOnce } = this.#bounds;
    const counter = this.#byKey.get(keyId) ?? { left: perMinute, atMs: nowMs, open: 0 };
    const back = ((nowMs - counter.atMs) / MINUTE_MS) * perMinute;
    counter.left = Math.min(perMinute, counter.left + Math.max(0, back));
    counter.atMs = nowMs;
    this.#byKey.delete(keyId);
    this.#byKey.set(keyId, counter);
    this.#forget();
    if (counter.open >= atOnce) {
      const message = `A key may run at most ${atOnce} ${things} at once.`;
      throw new Fault("too_many_parallel_requests", message, { retryAfterMs: 1000 });
    }
    if (counter.left < 1) {
      const retryAfterMs = ((1 - counter.left) * MINUTE_MS) / perMinute;
      const message = `A key may ${what} at most ${perMinute} times per minute.`;
      throw new Fault("requests_per_minute_exceeded", message, { retryAfterMs });
    }
    counter.left--;
    counter.open++;
    return () => {
      counter.open--;
    };
  }

  #forget(): void {
    for (const [oldest, { open }] of this.#byKey) {
      if (this.#byKey.size <= KEYS_MAX) break;
      if (open === 0) this.#byKey.delete(oldest);
      else break;
    }
  }
}
