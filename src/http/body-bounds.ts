// Bounds on bodies while they are read: their memory, their minimum speed, and their turns to be parsed.
import { Fault } from "../core/fault.ts";
import type { Clock, Deadline, Deadlines } from "../core/world.ts";

/** The share of the memory that one owner's bodies may hold. A single body may exceed it. */
const OWNER_SHARE = 1 / 4;
const RETRY_MS = 1000;

/** The memory of one body, reserved before the first byte so that unfinished bodies can't fill it. */
export interface Reservation {
  /** Reserves more. Throws the same Faults as `reserve`. */
  grow(bytes: number): void;
  /** Releases all of it. Must be called once. */
  release(): void;
}

export class BodyMemory {
  readonly #bytesMax: number;
  readonly #held = new Map<string, { bytes: number; bodies: number }>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reserves memory for a body sent by `owner`, a key or another sender. Throws the Faults
   * `too_many_parallel_requests` if the owner already holds its share, and `overloaded` if all memory is held.
   */
  reserve(owner: string, bytes: number): Reservation {
    const held = this.#held.get(owner) ?? { bytes: 0, bodies: 0 };
    let own = 0;
    const grow = (more: number) => {
      // An owner's first body is admitted whatever its size.
      const isFirst = held.bytes === own;
      if (!isFirst && held.bytes + more > this.#bytesMax * OWNER_SHARE) throw tooManyBodies();
      if (this.#bytes + more > this.#bytesMax) throw overloaded();
      held.bytes += more;
      this.#bytes += more;
      own += more;
    };
    const release = () => {
      held.bytes -= own;
      this.#bytes -= own;
      if (--held.bodies === 0) this.#held.delete(owner);
    };
    grow(bytes);
    held.bodies++;
    this.#held.set(owner, held);
    return { grow, release };
  }
}

function tooManyBodies(): Fault {
  const message = "This key is sending too many large requests at once. Please wait for some to be answered.";
  return new Fault("too_many_parallel_requests", message, { retryAfterMs: RETRY_MS });
}

function overloaded(): Fault {
  const message = "Too many large requests are being sent at once. Please try again shortly.";
  return new Fault("overloaded", message, { retryAfterMs: RETRY_MS });
}

/** The time that a connection has to get going. */
const PATIENCE_MS = 5000;
/** 16 KB/s: a 32 MB body may take up to 33 minutes, and a chat message a second. */
const BYTES_PER_MS = 16;
/**
 * The maximum credit for bytes that arrived early. A phone between two cells survives the gap, but 30 MB that arrived
 * in a second don't keep their memory for half an hour.
 */
const IN_HAND_MS = 15_000;

/** Refuses a body once it falls behind 16 KB/s, from the sixth second on. Progress is reported with `add`. */
export class BodyPace {
  readonly #deadlines: Deadlines;
  readonly #deadline: Deadline;

  constructor(deadlines: Deadlines, giveUp: (fault: Fault) => void) {
    this.#deadlines = deadlines;
    this.#deadline = deadlines.watch(deadlines.nowMs() + PATIENCE_MS, () => giveUp(tooSlow()));
  }

  add(bytes: number): void {
    const mostMs = this.#deadlines.nowMs() + IN_HAND_MS;
    this.#deadline.atMs = Math.min(this.#deadline.atMs + bytes / BYTES_PER_MS, mostMs);
  }

  end(): void {
    this.#deadline.clear();
  }
}

function tooSlow(): Fault {
  const message = "The request body arrived too slowly: send at least 16 KB per second.";
  return new Fault("request_timeout", message);
}

/** Parses one large body per turn of the loop: eight of 30 MB that end together would block it for a second. */
export class BodyTurns {
  readonly #clock: Pick<Clock, "after">;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Resolves in a turn of the loop that no other caller gets. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#last.then(() => this.#clock.after(0, resolve));
    this.#last = promise;
    return promise;
  }
}
