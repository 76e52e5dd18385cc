// The world in which a demo's month is made: a clock that moves on command, and random bytes of a seed.
import type { Clock, Random } from "../../../core/world/world.ts";

interface Timer {
  atMs: number;
  /** Null for one that runs once. */
  readonly everyMs: number | null;
  readonly task: () => void;
}

export interface MovedClock extends Clock {
  /** Moves on within a request: nothing that waits for a time runs. */
  readonly pass: (ms: number) => void;
  /**
   * Moves on to a time, runs what is due until then, what is regular once, however often it was due, and waits until all that
   * follows from it has been done as well.
   */
  readonly moveTo: (atMs: number) => Promise<void>;
}

/** The methods stand alone, since they take the places of another clock's. */
export function createMovedClock(startMs: number): MovedClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  /** Counts what is done with the clock. */
  let uses = 0;
  const add = (delayMs: number, everyMs: number | null, task: () => void) => {
    uses++;
    const timer = { atMs: nowMs + delayMs, everyMs, task };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const run = async (timer: Timer) => {
    if (timer.everyMs === null) timers.delete(timer);
    else timer.atMs = nowMs + timer.everyMs;
    timer.task();
  };
  return {
    nowMs: () => Math.round(nowMs),
    monotonicMs: () => nowMs - startMs,
    after: (delayMs, task) => add(delayMs, null, task),
    every: (periodMs, task) => add(periodMs, periodMs, task),
    pass(ms) {
      uses++;
      nowMs += ms;
    },
    async moveTo(atMs) {
      nowMs = Math.max(nowMs, atMs);
      const due = [...timers].filter((timer) => timer.atMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs);
      for (const timer of due) if (timers.has(timer)) await run(timer);
      await waitForQuiet(() => uses);
    },
  };
}

/** Work goes on if the clock wasn't used for a few turns of the event loop, but not for so many. */
const QUIET_TURNS = 40;

/** Waits by turns, since a time would let through more or less of the work. */
async function waitForQuiet(countUses: () => number): Promise<void> {
  for (let before = countUses(), turns = 0; turns < QUIET_TURNS; turns++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const uses = countUses();
    if (uses !== before) turns = 0;
    before = uses;
  }
}

/** Draws that are the same for the same seed. */
export class Draws {
  readonly #seed: bigint;
  #count = 0;

  constructor(seed: number, what: string) {
    this.#seed = Bun.hash.wyhash(`${what} ${seed}`);
  }

  /** From 0 to below 1. */
  next(): number {
    return Number(Bun.hash.wyhash(String(this.#count++), this.#seed) >> 11n) / 2 ** 53;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** One of them, each as often as its weight says. */
  pick<Row extends { readonly weight: number }>(rows: readonly Row[]): Row {
    const sum = rows.reduce((total, { weight }) => total + weight, 0);
    let left = this.next() * sum;
    for (const row of rows) {
      left -= row.weight;
      if (left < 0) return row;
    }
    throw new Error("There is nothing to choose from.");
  }
}

/** Returns random bytes that are the same for the same seed. Only for a store that holds nobody's secrets. */
export function createSeededRandom(seed: number): Random {
  const key = Bun.hash.wyhash(`bytes ${seed}`);
  let count = 0;
  return {
    bytes(length) {
      const bytes = new Uint8Array(length);
      const view = new DataView(bytes.buffer);
      for (let at = 0; at < length; at += 8) {
        const draw = Bun.hash.wyhash(String(count++), key);
        if (at + 8 <= length) view.setBigUint64(at, draw);
        else
          for (let left = at; left < length; left++)
            bytes[left] = Number((draw >> BigInt(8 * (left - at))) & 255n);
      }
      return bytes;
    },
  };
}
