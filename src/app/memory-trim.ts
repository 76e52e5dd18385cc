// Gives memory back to the system when a crowd of requests has gone: left alone, the runtime keeps it for minutes.
import type { Clock, Log } from "../core/world.ts";

const LOOK_MS = 1000;
/** Fewer leave nothing behind that is worth a pause. */
const CROWD_MIN = 500;
/** The few requests that may remain of a crowd that has gone: they wait for the collection too. */
const REMAINING_SHARE = 0.01;
const PAUSE_MS = 30_000;

/** Tells when a crowd has gone, of how many are open at each look. */
class Crowd {
  #most = 0;
  #wasQuiet = false;
  #goneAtMs = Number.NEGATIVE_INFINITY;

  /** The most there were; null: they are not gone, there was no crowd, or the last one has only just gone. */
  gone(open: number, nowMs: number): number | null {
    this.#most = Math.max(this.#most, open);
    const most = this.#most;
    // At two looks: the first may fall between the end of some and the coming of others.
    const isQuiet = open <= most * REMAINING_SHARE;
    const isGone = isQuiet && this.#wasQuiet;
    this.#wasQuiet = isQuiet;
    if (!isGone || most < CROWD_MIN || nowMs - this.#goneAtMs < PAUSE_MS) return null;
    this.#most = open;
    this.#goneAtMs = nowMs;
    return most;
  }
}

export interface MemoryParts {
  /** The number of requests under way. */
  readonly open: () => number;
  /** Goes through all of memory and gives back what is free, while nothing else runs: 50 to 160 ms after 3,000 streams. */
  readonly collect: () => void;
}

/** The returned function ends it. */
export function trimMemory({ open, collect }: MemoryParts, clock: Clock, log: Log): () => void {
  const crowd = new Crowd();
  return clock.every(LOOK_MS, () => {
    const startedMs = clock.monotonicMs();
    const most = crowd.gone(open(), startedMs);
    if (most === null) return;
    collect();
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    log({ event: "memory_given_back", level: "debug", requests: most, took_ms: tookMs });
  });
}
