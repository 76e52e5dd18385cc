// A clock that only moves on command.
import type { Clock } from "../../src/core/world/world.ts";

export class ManualClock implements Clock {
  #now = 0;
  #timers: { atMs: number; everyMs: number | null; task: () => void }[] = [];
  #awaited = 0;

  nowMs(): number {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#now;
  }

  after(delayMs: number, task: () => void): () => void {
    return this.#add(delayMs, null, task);
  }

  every(periodMs: number, task: () => void): () => void {
    return this.#add(periodMs, periodMs, task);
  }

  /** The time doesn't pass while the work runs: a database takes its own. */
  async await<T>(work: () => Promise<T>): Promise<T> {
    this.#awaited++;
    try {
      return await work();
    } finally {
      this.#awaited--;
    }
  }

  /** Advances the clock, runs what is due in order, and lets promises settle in between. */
  async move(byMs: number): Promise<void> {
    const untilMs = this.#now + byMs;
    for (let next = this.#next(untilMs); next; next = this.#next(untilMs)) {
      this.#now = Math.max(this.#now, next.atMs);
      if (next.everyMs === null) this.#timers = this.#timers.filter((timer) => timer !== next);
      else next.atMs += next.everyMs;
      next.task();
      await this.#settle();
    }
    this.#now = untilMs;
    await this.#settle();
  }

  async #settle(): Promise<void> {
    do await Bun.sleep(0);
    while (this.#awaited > 0);
  }

  #next(untilMs: number) {
    return this.#timers.filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)[0];
  }

  #add(delayMs: number, everyMs: number | null, task: () => void): () => void {
    const timer = { atMs: this.#now + delayMs, everyMs, task };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }
}
