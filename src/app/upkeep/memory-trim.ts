// Returns memory to the system after a load peak. Left alone, the runtime keeps it for minutes.
import type { Clock, Log } from "../../core/world/world.ts";

const CHECK_EVERY_MS = 1000;
/** The fewest open requests that make a peak. Fewer leave too little memory behind to justify a pause. */
const PEAK_MIN = 500;
/** A peak is over once at most this share of its requests is open. The collection delays those too. */
const REMAINING_SHARE = 0.01;
const PAUSE_MS = 30_000;

/** Detects the end of a load peak from the number of open requests at each check. */
class PeakDetector {
  #most = 0;
  #wasQuiet = false;
  #endedAtMs = Number.NEGATIVE_INFINITY;

  /** Returns the height of a peak that is over. Null if none is, or the last one ended less than 30 seconds ago. */
  detectEnd(open: number, nowMs: number): number | null {
    this.#most = Math.max(this.#most, open);
    const most = this.#most;
    // Two quiet checks are needed, because the first may fall between two waves of requests.
    const isQuiet = open <= most * REMAINING_SHARE;
    const isOver = isQuiet && this.#wasQuiet;
    this.#wasQuiet = isQuiet;
    if (!isOver || most < PEAK_MIN || nowMs - this.#endedAtMs < PAUSE_MS) return null;
    this.#most = open;
    this.#endedAtMs = nowMs;
    return most;
  }
}

export interface MemoryParts {
  readonly open: () => number;
  /** Collects all garbage and returns the free memory. Nothing else runs meanwhile: 50 to 160 ms after 3,000 streams. */
  readonly collect: () => void;
}

/** Trims memory after each load peak until the returned function is called. */
export function trimMemory({ open, collect }: MemoryParts, clock: Clock, log: Log): () => void {
  const peaks = new PeakDetector();
  return clock.every(CHECK_EVERY_MS, () => {
    const startedMs = clock.monotonicMs();
    const most = peaks.detectEnd(open(), startedMs);
    if (most === null) return;
    collect();
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    log({ event: "memory_given_back", level: "debug", requests: most, took_ms: tookMs });
  });
}
