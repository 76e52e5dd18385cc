// One sweep for all deadlines: a chunk that arrives only moves a number, no timer is made or cleared.
import type { Clock, Deadline, Deadlines } from "../core/world.ts";

const SWEEP_PERIOD_MS = 250;

/**
 * Four of them watch over each request. A set that many pass through leaves behind tables that are old to the garbage
 * collector, and what those still name outlives its use by seconds: so one that is over names nothing itself.
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
