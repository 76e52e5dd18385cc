// The bounds of bodies while they are read: the memory that they take, the pace at which they come, and their turns to be parsed.
import { Fault } from "../core/fault.ts";
import type { Clock, Deadline, Deadlines } from "../core/world.ts";

/** The share of the memory that one owner may hold besides a first body. */
const OWNER_SHARE = 1 / 4;
const RETRY_MS = 1000;

/** The memory that one body takes: reserved before the first byte, so that unfinished ones can't fill it. */
export interface Reservation {
  /** Takes more; throws the Faults that `reserve` throws. */
  grow(bytes: number): void;
  /** Called once: the body gives all of it back. */
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
   * Reserves so many bytes for a body of the owner: a key, or who else sends bodies. Throws the Faults
   * `too_many_parallel_requests` where the owner holds its share already, and `overloaded` where all is held.
   */
  reserve(owner: string, bytes: number): Reservation {
    const held = this.#held.get(owner) ?? { bytes: 0, bodies: 0 };
    let own = 0;
    const grow = (more: number) => {
      // One body is always taken, however large it may be.
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

/** Connections take a moment to get going. */
const PATIENCE_MS = 5000;
/** 16 KB/s: a 32 MB body then takes at most 33 minutes, and a chat message a second. */
const BYTES_PER_MS = 16;
/**
 * Bytes that came sooner than they had to are time in hand, up to this: a phone between two cells goes on, while 30 MB that
 * came in a second don't keep their memory for the half hour that they might have taken.
 */
const IN_HAND_MS = 15_000;

/** Refuses a body once it has come more slowly than 16 KB/s from its sixth second on. Only `add` tells that it comes. */
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
  const message = "The request's body came too slowly: at least 16 KB a second are expected.";
  return new Fault("request_timeout", message);
}

/** Large bodies are parsed one in each turn of the loop: eight of 30 MB that end together would stop it for a second. */
export class BodyTurns {
  readonly #clock: Pick<Clock, "after">;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Resolves in a turn of the loop that no other caller is given. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#last.then(() => this.#clock.after(0, resolve));
    this.#last = promise;
    return promise;
  }
}
