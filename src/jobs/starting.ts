// When the next lines may start: they share the event loop with single requests, which come first.
import type { SingleRequests } from "../core/batches/line-pace.ts";

/** Lines make way for this long after the last single request. */
const BESIDE_MS = 250;
/** They start this far apart meanwhile, so that most single requests meet none. */
const GAP_MS = 5;
/** Or this many times as far as a line's start kept the event loop busy: those with large bodies do for milliseconds. */
const GAP_TURNS = 8;
/** Lines start this often even if the process always works on single requests. */
const LEAST_MS = 20;
/** The lines that start in one turn of the event loop without single requests: alone, each would be a transaction of its own. */
const LINES_OF_TURN = 4;

/** Times are on the monotonic clock. */
export class Starting {
  readonly #singles: SingleRequests;
  #entered: number;
  /** The last time that a single request was seen. */
  #seenMs = Number.NEGATIVE_INFINITY;
  /** The last time that a line was started. */
  startedMs = Number.NEGATIVE_INFINITY;
  /** The length of that turn of the event loop. */
  #turnMs = 0;
  /** True in a turn in which lines have started: what is ready gets on before the next ones do. */
  isTaken = false;

  constructor(singles: SingleRequests) {
    this.#singles = singles;
    this.#entered = singles.entered;
  }

  /** Returns how long the next line waits before this is asked again. 0 if it may start. */
  measureWait(nowMs: number): number {
    if (!this.#isBeside(nowMs)) return 0;
    const sinceMs = nowMs - this.startedMs;
    const gapMs = Math.max(GAP_MS, GAP_TURNS * this.#turnMs);
    if (sinceMs < gapMs) return gapMs - sinceMs;
    return this.#singles.working > 0 && sinceMs < LEAST_MS ? GAP_MS : 0;
  }

  /** Returns how many lines may start in this turn. */
  countMost(nowMs: number): number {
    return this.#isBeside(nowMs) ? 1 : LINES_OF_TURN;
  }

  #isBeside(nowMs: number): boolean {
    const { entered, singles } = this.#singles;
    if (entered !== this.#entered || singles > 0) this.#seenMs = nowMs;
    this.#entered = entered;
    return nowMs - this.#seenMs < BESIDE_MS;
  }

  /** Call this before each line. Returns true for the first one of a turn: `endTurn` is called in the next turn then. */
  begin(nowMs: number): boolean {
    const isFirst = !this.isTaken;
    this.startedMs = nowMs;
    this.isTaken = true;
    return isFirst;
  }

  endTurn(nowMs: number): void {
    this.#turnMs = nowMs - this.startedMs;
    this.isTaken = false;
  }
}
