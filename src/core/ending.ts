// The end of a request before its answer is whole: the reason reaches all that work for it, once.
import { Fault } from "./fault.ts";

type Told = (reason: Fault) => void;

/** An AbortController and its signal do the same and more, at several times the CPU time: of a request, only `fetch` needs one. */
export class Ending {
  readonly #parent: Ending | null;
  readonly #told: Told[] = [];
  #reason: Fault | null = null;

  /** It ends with its parent too. */
  constructor(parent: Ending | null = null) {
    this.#parent = parent;
    parent?.tell(this.end);
  }

  /** null: it goes on. */
  get reason(): Fault | null {
    return this.#reason;
  }

  /** Ends it, once: without a reason, its client is gone. */
  readonly end = (reason: Fault = clientGone()): void => {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#parent?.forget(this.end);
    for (const told of this.#told.splice(0)) told(reason);
  };

  /** Calls back when it ends, or at once if it has. */
  tell(told: Told): void {
    if (this.#reason === null) this.#told.push(told);
    else told(this.#reason);
  }

  forget(told: Told): void {
    const at = this.#told.indexOf(told);
    if (at >= 0) this.#told.splice(at, 1);
  }
}

export function clientGone(): Fault {
  return new Fault("client_gone", "The client closed the connection.");
}
