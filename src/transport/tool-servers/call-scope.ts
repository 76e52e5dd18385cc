// The time in which something may be asked of a tool server: it ends by a deadline, by its client, or on a command.
import type { Fault } from "../../core/faults/fault.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Deadline, Deadlines, Latecomer } from "../../core/world/world.ts";
import { drainReader, type TextReader } from "../text-reader.ts";

/** The longest that a server may take to end its events behind the response, so that the connection can be used again. */
const REST_MS = 1000;

export class CallScope implements Latecomer {
  readonly #deadlines: Deadlines;
  readonly #abort = new AbortController();
  readonly #deadline: Deadline;
  readonly #makeLate: () => Fault;
  readonly #client: Ending | null;
  /** Those who wait for what others share. Null while there are none, as for most. */
  #waiting: Set<(reason: unknown) => void> | null = null;
  /** Requests whose answers aren't read to their ends. */
  #unread = 0;
  /** Answers of which the rest is being read. */
  #rests = 0;
  #isClosed = false;

  /** `untilMs` is on the monotonic clock. Without a client, only the deadline ends it. */
  constructor(deadlines: Deadlines, untilMs: number, makeLate: () => Fault, client: Ending | null = null) {
    this.#deadlines = deadlines;
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
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) for (const reject of waiting) reject(reason);
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
    this.#waiting ??= new Set();
    this.#waiting.add(reject);
    try {
      return await Promise.race([ended, waiting]);
    } finally {
      this.#waiting?.delete(reject);
    }
  }

  /** A request is about to be sent. It is broken off at once if it comes too late. */
  beginReading(): void {
    this.#unread++;
    if (this.#isClosed) this.#abort.abort();
  }

  /** An answer has been read to its end. */
  endReading(): void {
    this.#unread--;
  }

  /** Reads the rest of an answer that is complete, if it ends soon. */
  drain(reader: TextReader): void {
    this.#rests++;
    void drainReader(reader).then((isRead) => {
      this.#rests--;
      if (isRead) this.endReading();
      if (this.#isClosed) this.#finish();
    });
  }

  /** Lets go of everything, and breaks off what isn't read to its end. */
  close(): void {
    this.#isClosed = true;
    this.#client?.forget(this);
    this.#deadline.atMs = this.#deadlines.nowMs() + REST_MS;
    this.#finish();
  }

  #finish(): void {
    if (this.#rests > 0) return;
    this.#deadline.clear();
    if (this.#unread > 0) this.#abort.abort();
  }
}
