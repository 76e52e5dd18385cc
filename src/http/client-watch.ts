// A client's connection while its answer is made: its loss ends the request, and no silence closes it.
import type { Deadline, Deadlines } from "../core/world.ts";
import { IDLE_SECONDS } from "./app.ts";

/** From then on a connection that waits for its answer is held open, whatever the server's limit says. */
const SILENT_MS = (IDLE_SECONDS * 1000) / 6;

/** The part of Bun's server that a long answer needs. */
export interface Connections {
  timeout(request: Request, seconds: number): void;
}

/** A model may be silent for minutes, and the gateway's own deadlines bound the wait. Call `end` when the request is over. */
export class ClientWatch {
  readonly #request: Request;
  readonly #signal: AbortSignal;
  readonly #server: Connections | null;
  readonly #silence: Deadline;
  #onGone = () => {};
  #isKept = false;

  constructor(deadlines: Deadlines, request: Request, server: Connections | null) {
    this.#request = request;
    this.#server = server;
    this.#signal = request.signal;
    // A property and not a listener, which costs 2 µs more.
    this.#signal.onabort = () => this.#onGone();
    // Most answers come long before the connection's own limit: to lift and set it for each would cost 3 µs.
    this.#silence = deadlines.watch(deadlines.nowMs() + SILENT_MS, () => this.#keep());
  }

  /** From now on it is this that is called when the connection is lost; at once where it has been. */
  whenGone(onGone: () => void): void {
    this.#onGone = onGone;
    if (this.#signal.aborted) onGone();
  }

  end(): void {
    // A signal that somebody listens to outlives its request, until all of memory is gone through.
    this.#signal.onabort = null;
    this.#silence.clear();
    if (this.#isKept) this.#server?.timeout(this.#request, IDLE_SECONDS);
    this.#isKept = false;
  }

  #keep(): void {
    this.#isKept = true;
    this.#server?.timeout(this.#request, 0);
  }
}
