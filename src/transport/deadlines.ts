// One sweep for all deadlines: a chunk that arrives only moves a number, and no timer is made or cleared for it.
import type { Clock, Deadline, Deadlines } from "../core/world.ts";

const SWEEP_PERIOD_MS = 250;

/**
 * One watched moment; each request has four. A set with many additions and deletions leaves old tables to the garbage
 * collector, and whatever they refer to is kept for seconds: so a watch that is over refers to nothing.
 */
class Watch implements Deadline {
  readonly #among: Set<Watch>;
  atMs: number;
  #onLate: (() => void) | null;

  constructor(among: Set<Watch>, atMs: number, onLate: () => void) {
    this.#among = among;
    this.atMs = atMs;
    this.#onLate = onLate;
    among.add(this);
  }

  clear(): void {
    this.#among.delete(this);
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
  readonly #due = new Set<Watch>();
  readonly #stop: () => void;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stop = clock.every(SWEEP_PERIOD_MS, () => this.#sweep());
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  watch(atMs: number, onLate: () => void): Deadline {
    return new Watch(this.#due, atMs, onLate);
  }

  stop(): void {
    this.#stop();
  }

  #sweep(): void {
    const now = this.nowMs();
    for (const watch of this.#due) if (watch.atMs <= now) watch.late();
  }
}
