// A single timer for all deadlines: an arriving chunk only changes a number, without creating or clearing timers.
import type { Clock, Deadline, Deadlines, Latecomer } from "../core/world/world.ts";

const SWEEP_PERIOD_MS = 250;

/**
 * A watched deadline in a linked list. Each request has four. A Set would leave its old tables, and everything they
 * refer to, in memory for seconds; a finished watch refers to nothing.
 */
class DeadlineWatch implements Deadline {
  atMs: number;
  previous: DeadlineWatch = this;
  next: DeadlineWatch = this;
  #latecomer: Latecomer | null;

  constructor(atMs: number, latecomer: Latecomer | null) {
    this.atMs = atMs;
    this.#latecomer = latecomer;
  }

  /** Inserts another watch before this one. */
  precede(other: DeadlineWatch): DeadlineWatch {
    other.previous = this.previous;
    other.next = this;
    this.previous.next = other;
    this.previous = other;
    return other;
  }

  clear(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this;
    this.next = this;
    this.#latecomer = null;
  }

  late(): void {
    const latecomer = this.#latecomer;
    this.clear();
    latecomer?.late();
  }
}

export class DeadlineSweep implements Deadlines {
  readonly #clock: Clock;
  /** The head of the ring of watches. */
  readonly #ring = new DeadlineWatch(Number.POSITIVE_INFINITY, null);
  readonly #stop: () => void;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stop = clock.every(SWEEP_PERIOD_MS, () => this.#sweep());
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  watch(atMs: number, latecomer: Latecomer): Deadline {
    return this.#ring.precede(new DeadlineWatch(atMs, latecomer));
  }

  stop(): void {
    this.#stop();
  }

  /** Collects late watches first, because handling one may end others or start new ones. */
  #sweep(): void {
    const now = this.nowMs();
    const late: DeadlineWatch[] = [];
    for (let watch = this.#ring.next; watch !== this.#ring; watch = watch.next) {
      if (watch.atMs <= now) late.push(watch);
    }
    for (const watch of late) watch.late();
  }
}
