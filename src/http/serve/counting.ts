// Counts a prompt's tokens with our own estimate, which is free, takes no slot, and is rate-limited per key.
import { Fault } from "../../core/fault.ts";

const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const AT_ONCE = 4;
/** The maximum number of keys remembered. The least recently used are dropped first. */
const KEYS_MAX = 10_000;

interface Counter {
  /** Counts that may be made now. One is added each second. */
  left: number;
  atMs: number;
  open: number;
}

export class CountingLimit {
  readonly #byKey = new Map<string, Counter>();
  readonly #what: string;

  /** `what` is what is counted, in a sentence: "A key may count tokens …". */
  constructor(what = "count tokens") {
    this.#what = what;
  }

  /** Begins a count, and returns what ends it. Throws a Fault if the key counts too often or too much at once. */
  begin(keyId: string, nowMs: number): () => void {
    const counter = this.#byKey.get(keyId) ?? { left: PER_MINUTE, atMs: nowMs, open: 0 };
    const back = ((nowMs - counter.atMs) / MINUTE_MS) * PER_MINUTE;
    counter.left = Math.min(PER_MINUTE, counter.left + Math.max(0, back));
    counter.atMs = nowMs;
    this.#byKey.delete(keyId);
    this.#byKey.set(keyId, counter);
    this.#forget();
    if (counter.open >= AT_ONCE) {
      const message = `A key may run at most ${AT_ONCE} token counts at once.`;
      throw new Fault("too_many_parallel_requests", message, { retryAfterMs: 1000 });
    }
    if (counter.left < 1) {
      const retryAfterMs = ((1 - counter.left) * MINUTE_MS) / PER_MINUTE;
      const message = `A key may ${this.#what} at most ${PER_MINUTE} times per minute.`;
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
