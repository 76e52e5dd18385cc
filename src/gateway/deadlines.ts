// One sweep for all deadlines: a chunk that arrives only moves a number, no timer is made or cleared.
import type { Clock } from "../core/world.ts";

const SWEEP_PERIOD_MS = 250;

export interface Deadline {
  /** When `onLate` is due, on the monotonic clock. */
  atMs: number;
  /** Calls it off. */
  clear(): void;
}

/** Four of them watch over each request. */
class Watch implements Deadline {
  readonly #due: Map<Deadline, () => void>;
  atMs: number;

  constructor(due: Map<Deadline, () => void>, atMs: number) {
    this.#due = due;
    this.atMs = atMs;
  }

  clear(): void {
    this.#due.delete(this);
  }
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #due = new Map<Deadline, () => void>();
  readonly #stop: () => void;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stop = clock.every(SWEEP_PERIOD_MS, () => this.#sweep());
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  /** Calls `onLate` once when `atMs` has passed, up to 250 ms late. It may watch again. */
  watch(atMs: number, onLate: () => void): Deadline {
    const deadline = new Watch(this.#due, atMs);
    this.#due.set(deadline, onLate);
    return deadline;
  }

  stop(): void {
    this.#stop();
  }

  #sweep(): void {
    const now = this.nowMs();
    for (const [deadline, onLate] of this.#due) {
      if (deadline.atMs > now) continue;
      this.#due.delete(deadline);
      onLate();
    }
  }
}
