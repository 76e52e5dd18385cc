// The minimum speed of bodies while they are read.
import { Fault } from "../../core/faults/fault.ts";
import type { Deadline, Deadlines, Latecomer } from "../../core/world/world.ts";

/** The time that a connection has to get going. */
const PATIENCE_MS = 5000;
/** 16 KB/s: a 32 MB body may take up to 33 minutes, and a chat message a second. */
const BYTES_PER_MS = 16;
/**
 * The maximum credit for bytes that arrived early. A phone between two cells survives the gap, but 30 MB that arrived
 * in a second don't keep their memory for half an hour.
 */
const IN_HAND_MS = 15_000;

/**
 * Refuses a body once it falls behind 16 KB/s, from the sixth second on. Progress is reported with `add`, except that of
 * the bytes that are read in one go.
 */
export class BodyPace implements Latecomer {
  readonly #deadlines: Deadlines;
  readonly #deadline: Deadline;
  readonly #giveUp: (fault: Fault) => void;

  constructor(deadlines: Deadlines, giveUp: (fault: Fault) => void, bytesInOneGo = 0) {
    const patienceMs = Math.max(PATIENCE_MS, bytesInOneGo / BYTES_PER_MS);
    this.#deadlines = deadlines;
    this.#giveUp = giveUp;
    this.#deadline = deadlines.watch(deadlines.nowMs() + patienceMs, this);
  }

  late(): void {
    this.#giveUp(tooSlow());
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
