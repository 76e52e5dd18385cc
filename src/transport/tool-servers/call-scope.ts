// The time in which something may be asked of a tool server: it ends by a deadline, by its client, or on a command.
import type { Fault } from "../../core/fault.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Deadline, Deadlines, Latecomer } from "../../core/world/world.ts";

export class CallScope implements Latecomer {
  readonly #abort = new AbortController();
  readonly #deadline: Deadline;
  readonly #makeLate: () => Fault;
  readonly #client: Ending | null;

  /** `untilMs` is on the monotonic clock. Without a client, only the deadline ends it. */
  constructor(deadlines: Deadlines, untilMs: number, makeLate: () => Fault, client: Ending | null = null) {
    this.#makeLate = makeLate;
    this.#client = client;
    this.#deadline = deadlines.watch(untilMs, this);
    client?.tell(this);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  end(reason: Fault): void {
    this.#abort.abort(reason);
  }

  late(): void {
    this.end(this.#makeLate());
  }

  /** Throws the reason if it has ended. An aborted body looks like one that has come to its end. */
  throwIfEnded(): void {
    if (this.signal.aborted) throw this.signal.reason;
  }

  /** Waits for what others share, and no longer than this scope. */
  async wait<Result>(waiting: Promise<Result>): Promise<Result> {
    this.throwIfEnded();
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const onEnd = () => reject(this.signal.reason);
    this.signal.addEventListener("abort", onEnd, { once: true });
    try {
      return await Promise.race([ended, waiting]);
    } finally {
      this.signal.removeEventListener("abort", onEnd);
    }
  }

  /** Lets go of everything, and breaks off the rest of answers that nobody reads. */
  close(): void {
    this.#deadline.clear();
    this.#client?.forget(this);
    this.#abort.abort();
  }
}
