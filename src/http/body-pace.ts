// The slowest pace of a body: bodies hold memory while they are read, so a sender that stops must not keep it.
import { Fault } from "../core/fault.ts";
import type { Deadline, Deadlines } from "../core/world.ts";

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
