// Watches a client's connection while its answer is made: losing it ends the request, and silence doesn't close it.
import type { Ending } from "../../core/world/ending.ts";
import type { Deadline, Deadlines, Latecomer } from "../../core/world/world.ts";

/** The silence after which the server's idle timeout is lifted, as a part of it. */
const SILENT_PART = 6;
const MS_PER_SECOND = 1000;

export interface Connections {
  timeout(request: Request, seconds: number): void;
}

interface ClientWatchPorts {
  readonly deadlines: Deadlines;
  readonly server: { readonly idleSeconds: number };
}

interface WatchedSender {
  readonly request: Request;
  readonly signal: AbortSignal;
  readonly server: Connections | null;
}

/** A model may be silent for minutes; the gateway's own deadlines bound the wait. Call `end` after the request. */
export class ClientWatch implements Latecomer {
  readonly #request: Request;
  readonly #signal: AbortSignal;
  readonly #server: Connections | null;
  readonly #silence: Deadline;
  readonly #ending: Ending;
  readonly #idleSeconds: number;
  /** Null while losing the connection only ends the request. */
  #onGone: (() => void) | null = null;
  #isKept = false;

  constructor(
    { deadlines, server: { idleSeconds } }: ClientWatchPorts,
    { request, signal, server }: WatchedSender,
    ending: Ending,
  ) {
    this.#request = request;
    this.#server = server;
    this.#ending = ending;
    this.#idleSeconds = idleSeconds;
    this.#signal = signal;
    // Using a listener instead of this property would cost 2 µs more.
    this.#signal.onabort = () => this.#leave();
    // Most answers end long before the idle timeout, and changing it for each would cost 3 µs.
    this.#silence = deadlines.watch(deadlines.nowMs() + (idleSeconds * MS_PER_SECOND) / SILENT_PART, this);
    if (this.#signal.aborted) this.#leave();
  }

  /** Sets what is called instead when the connection is lost, at once if it already is. It must end the request. */
  whenGone(onGone: () => void): void {
    this.#onGone = onGone;
    if (this.#signal.aborted) onGone();
  }

  #leave(): void {
    if (this.#onGone === null) this.#ending.end();
    else this.#onGone();
  }

  end(): void {
    // A signal that still has a handler outlives its request until a full garbage collection.
    this.#signal.onabort = null;
    this.#silence.clear();
    if (this.#isKept) this.#server?.timeout(this.#request, this.#idleSeconds);
    this.#isKept = false;
  }

  late(): void {
    this.#isKept = true;
    this.#server?.timeout(this.#request, 0);
  }
}
