// The memory that request bodies take while they are read: reserved before the first byte, so that unfinished ones can't fill it.
import { Fault } from "../core/fault.ts";

/** The share of the memory that one owner may hold besides a first body. */
const OWNER_SHARE = 1 / 4;
const RETRY_MS = 1000;

/** The memory that one body takes. */
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
