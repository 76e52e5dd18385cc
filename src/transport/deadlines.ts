// One sweep for all deadlines: a chunk that arrives only moves a number, and no timer is made or cleared for it.
import type { Clock, Deadline, Deadlines } from "../core/world.ts";

const SWEEP_PERIOD_MS = 250;

/**
 * One watched moment, linked to those before and behind it; each request has four. A Set would take the place of the links,
 * but it leaves old tables to the garbage collector, and whatever they refer to is kept for seconds: a watch that is over
 * refers to nothing.
 */
class Watch implements Deadline {
  atMs: number;
  previous: Watch = this;
  next: Watch = this;
  #onLate: (() => void) | null;

  constructor(atMs: number, onLate: (() => void) | null) {
    this.atMs = atMs;
    this.#onLate = onLate;
  }

  /** Puts the other one before this one. */
  precede(other: Watch): Watch {
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
    this.#onLate = null;
  }

  late(): void {
    const onLate = this.#onLate;
    this.clear();
    onLate?.();
  }
}

export class DeadlineSweep implements Deadlines {
  readonly #clock: Clock;
  /** The watches are linked in a ring, whose beginning and end this one is. */
  readonly #ring = new Watch(Number.POSITIVE_INFINITY, null);
  readonly #stop: () => void;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stop = clock.every(SWEEP_PERIOD_MS, () => this.#sweep());
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  watch(atMs: number, onLate: () => void): Deadline {
    return this.#ring.precede(new Watch(atMs, onLate));
  }

  stop(): void {
    this.#stop();
  }

  /** Those that are late are found first: the end of one may end others, and begin new ones. */
  #sweep(): void {
    const now = this.nowMs();
    const late: Watch[] = [];
    for (let watch = this.#ring.next; watch !== this.#ring; watch = watch.next) {
      if (watch.atMs <= now) late.push(watch);
    }
    for (const watch of late) watch.late();
  }
}
