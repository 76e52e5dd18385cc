// The turns of a connection: those of one lane run in the order in which they came, different lanes at once.
import { Fault } from "../../core/faults/fault.ts";

const NAME = /^[A-Za-z0-9_.-]{1,256}$/;
/** The lane of turns without a name. */
const UNNAMED = "";

interface LaneBounds {
  readonly lanesMax: number;
  readonly queueMax: number;
}

export class Lanes {
  readonly #last = new Map<string, Promise<void>>();
  readonly #names = new Set<string>();
  #running = 0;
  #waiting = 0;

  /** True if nothing runs and nothing waits. */
  get isIdle(): boolean {
    return this.#running + this.#waiting === 0;
  }

  /** Returns the name of a turn's lane. Throws the Faults of a name that isn't one, and of too many. */
  readName(value: unknown, { lanesMax }: LaneBounds): string {
    if (value === undefined || value === null) return UNNAMED;
    if (typeof value !== "string" || !NAME.test(value)) {
      const message = "Invalid 'stream_id': expected 1 to 256 letters, digits, '_', '.' or '-'.";
      throw new Fault("invalid_stream_id", message, { param: "stream_id" });
    }
    if (!this.#names.has(value) && this.#names.size >= lanesMax) {
      const message = `This connection has used ${lanesMax} lanes ('stream_id'), which is the most: open another.`;
      throw new Fault("websocket_stream_limit_reached", message, { param: "stream_id" });
    }
    this.#names.add(value);
    return value;
  }

  /** Runs a turn after those before it in its lane. Throws the Fault `too_many_parallel_requests` if too many wait. */
  add(name: string, { queueMax }: LaneBounds, run: () => Promise<void>): void {
    const before = this.#last.get(name);
    if (before && this.#waiting >= queueMax) {
      const message = `At most ${queueMax} requests may wait on a connection.`;
      const limit = { scope: "key", name: "", kind: "queue", limit: queueMax, used: this.#waiting } as const;
      throw new Fault("too_many_parallel_requests", message, { retryAfterMs: 1000, limit });
    }
    if (before) this.#waiting++;
    const turn = before ? before.then(() => void this.#waiting--).then(() => this.#run(run)) : this.#run(run);
    this.#last.set(name, turn);
    void turn.then(() => {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    });
  }

  async #run(run: () => Promise<void>): Promise<void> {
    this.#running++;
    try {
      await run();
    } finally {
      this.#running--;
    }
  }
}
