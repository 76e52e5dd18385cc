// Ends a request early: delivers the reason, once, to everything that works on it.
import { Fault } from "../faults/fault.ts";

/** An object rather than a function: all that work on a request exist already, and a function would be one more. */
interface EndListener {
  end(reason: Fault): void;
}

/** An AbortController would do, at several times the CPU cost. Only `fetch` needs one. */
export class Ending implements EndListener {
  readonly #parent: Ending | null;
  /** Most have one. */
  #first: EndListener | null = null;
  #others: EndListener[] | null = null;
  #reason: Fault | null = null;

  /** Also ends when its parent does. */
  constructor(parent: Ending | null = null) {
    this.#parent = parent;
    parent?.tell(this);
  }

  /** Null while the request continues. */
  get reason(): Fault | null {
    return this.#reason;
  }

  /** Ends it, once. By default because the client has left. */
  end(reason: Fault = clientGone()): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#parent?.forget(this);
    const first = this.#first;
    const others = this.#others;
    this.#first = null;
    this.#others = null;
    first?.end(reason);
    if (others !== null) for (const listener of others) listener.end(reason);
  }

  /** Tells `listener` when it ends, or immediately if it already has. */
  tell(listener: EndListener): void {
    if (this.#reason !== null) listener.end(this.#reason);
    else if (this.#first === null) this.#first = listener;
    else {
      this.#others ??= [];
      this.#others.push(listener);
    }
  }

  forget(listener: EndListener): void {
    if (this.#first === listener) this.#first = null;
    const at = this.#others?.indexOf(listener) ?? -1;
    if (at >= 0) this.#others?.splice(at, 1);
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
