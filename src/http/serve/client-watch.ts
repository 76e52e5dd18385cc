// Watches a client's connection while its answer is made: losing it ends the request, and silence doesn't close it.
import type { Deadline, Deadlines } from "../../core/world/world.ts";
import { IDLE_SECONDS } from "./app.ts";

/** The silence after which the server's idle timeout is lifted. */
const SILENT_MS = (IDLE_SECONDS * 1000) / 6;

export interface Connections {
  timeout(request: Request, seconds: number): void;
}

/** A model may be silent for minutes; the gateway's own deadlines bound the wait. Call `end` after the request. */
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
    // Using a listener instead of this property would cost 2 µs more.
    this.#signal.onabort = () => this.#onGone();
    // Most answers end long before the idle timeout, and changing it for each would cost 3 µs.
    this.#silence = deadlines.watch(deadlines.nowMs() + SILENT_MS, () => this.#keep());
  }

  /** Sets the function that is called when the connection is lost, at once if it already is. */
  whenGone(onGone: () => void): void {
    this.#onGone = onGone;
    if (this.#signal.aborted) onGone();
  }

  end(): void {
    // A signal that still has a handler outlives its request until a full garbage collection.
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
