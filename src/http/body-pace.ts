// How slowly a body may come: bodies hold memory while they are read, so nobody may take minutes over one.
import { Fault } from "../core/fault.ts";
import type { Deadline, Deadlines } from "../gateway/deadlines.ts";

/** Connections take a moment to get going. */
const PATIENCE_MS = 5000;
/** 16 KB/s: a 32 MB body then takes at most 33 minutes, and a chat message a second. */
const BYTES_PER_MS = 16;

/** Rejects once a body has come more slowly than 16 KB/s from its sixth second on. Only `add` tells that it comes. */
export class BodyPace {
  readonly #deadlines: Deadlines;
  readonly #startedMs: number;
  readonly #late = Promise.withResolvers<never>();
  #deadline: Deadline;
  #bytes = 0;

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
    this.#startedMs = deadlines.nowMs();
    this.#deadline = this.#watch();
    // Where nobody waits any more, being late is nothing unhandled.
    this.#late.promise.catch(() => {});
  }

  /** The step's result, unless the body is too slow: then the Fault `request_timeout` is thrown. */
  within<Result>(step: Promise<Result>): Promise<Result> {
    return Promise.race([step, this.#late.promise]);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  end(): void {
    this.#deadline.clear();
  }

  #watch(): Deadline {
    const allowedMs = Math.max(PATIENCE_MS, this.#bytes / BYTES_PER_MS);
    return this.#deadlines.watch(this.#startedMs + allowedMs, () => this.#look());
  }

  #look(): void {
    const passedMs = this.#deadlines.nowMs() - this.#startedMs;
    if (this.#bytes <= passedMs * BYTES_PER_MS) this.#late.reject(tooSlow());
    else this.#deadline = this.#watch();
  }
}

function tooSlow(): Fault {
  const message = "The request's body came too slowly: at least 16 KB a second are expected.";
  return new Fault("request_timeout", message);
}
