// A clock that jumps from one event to the next: days pass in milliseconds, always in the same order.
import type { Clock } from "../../src/core/world/world.ts";

interface Due {
  readonly atMs: number;
  /** Orders events due at the same moment by when they were scheduled. */
  readonly order: number;
  task: (() => void) | null;
}

interface Periodic {
  readonly everyMs: number;
  atMs: number;
  readonly task: () => void;
}

const TURNS_MAX = 10_000;
/** After so many turns, each takes a millisecond: the store rests in real time between the parts of long work. */
const QUICK_TURNS = 1000;
const STEPS_MAX = 400_000;

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export class EventClock {
  readonly #due: Due[] = [];
  #periodics: Periodic[] = [];
  #orders = 0;
  #monotonicMs = 0;
  /** Wall time is monotonic time plus this, and can be set. */
  wallAheadMs: number;

  constructor(startMs: number) {
    this.wallAheadMs = startMs;
  }

  get nowMs(): number {
    return this.#monotonicMs + this.wallAheadMs;
  }

  get monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, task: () => void): () => void {
    const due: Due = { atMs: this.#monotonicMs + Math.max(0, delayMs), order: this.#orders++, task };
    this.#push(due);
    return () => {
      due.task = null;
    };
  }

  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** The clock of one life of a process. Its timers end with that life. */
  forLife(isOver: () => boolean): Clock {
    return {
      nowMs: () => this.nowMs,
      monotonicMs: () => this.#monotonicMs,
      after: (delayMs, task) =>
        this.after(delayMs, () => {
          if (!isOver()) task();
        }),
      every: (everyMs, task) => {
        const periodic: Periodic = {
          everyMs,
          atMs: this.#monotonicMs + everyMs,
          task: () => {
            if (!isOver()) task();
          },
        };
        this.#periodics.push(periodic);
        return () => {
          this.#periodics = this.#periodics.filter((one) => one !== periodic);
        };
      },
    };
  }

  /** The filter drops the periodic tasks of lives that are over. */
  async run(parts: { readonly isBusy: () => boolean; readonly isWorking: () => boolean }): Promise<void> {
    for (let steps = 0; steps < STEPS_MAX; steps++) {
      await drained(parts.isWorking);
      const next = this.#next();
      const tick = this.#tick();
      if (parts.isBusy() && tick && (!next || tick.atMs <= next.atMs)) this.#fire(tick);
      else if (next) this.#jumpTo(next);
      else if (parts.isBusy()) throw new Error("Something is under way that nothing will ever end.");
      else return;
    }
    throw new Error("The day does not come to its end.");
  }

  #fire(tick: Periodic): void {
    this.#monotonicMs = Math.max(this.#monotonicMs, tick.atMs);
    tick.atMs = this.#monotonicMs + tick.everyMs;
    tick.task();
  }

  /** A timer that was due several times while nothing happened fires once. */
  #jumpTo(next: Due): void {
    this.#monotonicMs = Math.max(this.#monotonicMs, next.atMs);
    for (const periodic of [...this.#periodics]) if (periodic.atMs < next.atMs) this.#fire(periodic);
    const { task } = next;
    this.#due.shift();
    task?.();
  }

  #next(): Due | undefined {
    while (this.#due[0]?.task === null) this.#due.shift();
    return this.#due[0];
  }

  #tick(): Periodic | undefined {
    let first: Periodic | undefined;
    for (const periodic of this.#periodics) if (!first || periodic.atMs < first.atMs) first = periodic;
    return first;
  }

  /** Kept sorted, because most events are scheduled shortly before they are due. */
  #push(due: Due): void {
    let low = 0;
    let high = this.#due.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#due[middle];
      if (other && (other.atMs < due.atMs || (other.atMs === due.atMs && other.order < due.order)))
        low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, due);
  }
}

/** Lets promises settle and the store write its batches. */
async function drained(isWorking: () => boolean): Promise<void> {
  await turn();
  for (let turns = 0; isWorking(); turns++) {
    if (turns > TURNS_MAX) throw new Error("The store does not come to rest.");
    await (turns < QUICK_TURNS ? turn() : Bun.sleep(1));
  }
}
