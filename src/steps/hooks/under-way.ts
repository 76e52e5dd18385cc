// Counts an account's calls to hooks, so that one account can't take all that a hook's server has to give.
import { Fault } from "../../core/fault.ts";

const CALLS_MAX = 64;

export class UnderWay {
  readonly #calls = new Map<string, number>();

  /** Returns what ends the call. Throws the Fault `too_many_parallel_requests`. */
  enter(accountId: string): () => void {
    const count = (this.#calls.get(accountId) ?? 0) + 1;
    if (count > CALLS_MAX) {
      const message = `At most ${CALLS_MAX} requests of an account wait for hooks at the same time.`;
      throw new Fault("too_many_parallel_requests", message, { retryAfterMs: 1000 });
    }
    this.#calls.set(accountId, count);
    return () => this.#leave(accountId);
  }

  #leave(accountId: string): void {
    const count = (this.#calls.get(accountId) ?? 1) - 1;
    if (count > 0) this.#calls.set(accountId, count);
    else this.#calls.delete(accountId);
  }
}
