// Ends a request early: delivers the reason, once, to everything that works on it.
import { Fault } from "../fault.ts";

type Listener = (reason: Fault) => void;

/** An AbortController would do, at several times the CPU cost. Only `fetch` needs one. */
export class Ending {
  readonly #parent: Ending | null;
  readonly #listeners: Listener[] = [];
  #reason: Fault | null = null;

  /** Also ends when its parent does. */
  constructor(parent: Ending | null = null) {
    this.#parent = parent;
    parent?.tell(this.end);
  }

  /** Null while the request continues. */
  get reason(): Fault | null {
    return this.#reason;
  }

  /** Ends it, once. By default because the client has left. */
  readonly end = (reason: Fault = clientGone()): void => {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#parent?.forget(this.end);
    for (const listener of this.#listeners.splice(0)) listener(reason);
  };

  /** Calls back when it ends, or immediately if it already has. */
  tell(listener: Listener): void {
    if (this.#reason === null) this.#listeners.push(listener);
    else listener(this.#reason);
  }

  forget(listener: Listener): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }
}

export function clientGone(): Fault {
  return new Fault("client_gone", "The client closed the connection.");
}

/** The client's own time limit has passed. Clients see the code of a provider's timeout. */
export function makeClientTimeout(late: string): Fault {
  const message = `${late} (limited by x-poundkey-timeout).`;
  return new Fault("client_timeout", message, { shownCode: "upstream_timeout" });
}

/** The limit has passed while the request waited for the answer to another that is the same. */
export function makeTwinTimeout(): Fault {
  return makeClientTimeout("The same request did not finish in time");
}
