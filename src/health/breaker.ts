// A circuit breaker: closed while calls succeed, open after a burst of failures, half-open while one probe is out.
import type { Vitals } from "../core/models/health.ts";
import { FadingCounts } from "./decay.ts";

const HALF_LIFE_MS = 10_000;
const IN_ROW_MAX = 5;
/** Failures between successes also open it if they total nearly as many within seconds, fading by up to this, … */
const FADED = 0.5;
/** … and are at least this share of the calls. */
const SHARE_MIN = 0.5;

const GOOD = 0;
const BAD = 1;

export interface BreakerTerms {
  /** The number of consecutive failures that open it, however far apart they are. */
  readonly inRowMax: number;
  /** The time from opening to the first probe. Each failed probe doubles it, up to the maximum. */
  readonly waitMs: number;
  readonly waitMaxMs: number;
  /** If it opens again within this time after it closed, the longer waits continue. */
  readonly relapseMs: number;
}

const CALL_TERMS: BreakerTerms = {
  inRowMax: IN_ROW_MAX,
  waitMs: 1000,
  waitMaxMs: 30_000,
  relapseMs: 60_000,
};

export class Breaker {
  readonly #recent = new FadingCounts(2, HALF_LIFE_MS);
  #failuresInRow = 0;
  readonly #terms: BreakerTerms;
  #waitMs: number;
  #closedAtMs = Number.NEGATIVE_INFINITY;
  /** The time from which a probe may pass. Null if it is closed. */
  #probeAtMs: number | null = null;
  #probing = false;

  constructor(terms: BreakerTerms = CALL_TERMS) {
    this.#terms = terms;
    this.#waitMs = terms.waitMs;
  }

  get isOpen(): boolean {
    return this.#probeAtMs !== null;
  }

  get state(): Vitals["breaker"] {
    if (this.#probeAtMs === null) return "closed";
    return this.#probing ? "half_open" : "open";
  }

  /** The wait until a call may pass. Null if it ends with the running probe. */
  waitMs(nowMs: number): number | null {
    if (this.#probeAtMs === null) return 0;
    return this.#probing ? null : Math.max(0, this.#probeAtMs - nowMs);
  }

  /** Lets a call pass, or returns null. A "probe" passes while the breaker isn't closed; its outcome must be recorded. */
  pass(nowMs: number): "free" | "probe" | null {
    if (this.#probeAtMs === null) return "free";
    if (this.waitMs(nowMs) !== 0) return null;
    this.#probing = true;
    return "probe";
  }

  /** True if this closes the breaker. */
  recordSuccess(nowMs: number, isProbe: boolean): boolean {
    if (this.#probeAtMs === null) {
      this.#failuresInRow = 0;
      this.#recent.add(GOOD, nowMs);
      return false;
    }
    // The call began before the breaker opened, so its success doesn't show that the upstream has recovered.
    if (!isProbe) return false;
    this.#probeAtMs = null;
    this.#probing = false;
    this.#closedAtMs = nowMs;
    this.#failuresInRow = 0;
    this.#recent.clear();
    return true;
  }

  /** True if this opens the breaker. */
  recordFailure(nowMs: number, isProbe: boolean): boolean {
    if (this.#probeAtMs !== null) {
      if (isProbe) this.#wait(nowMs, this.#computeNextWaitMs());
      return false;
    }
    this.#failuresInRow++;
    this.#recent.add(BAD, nowMs);
    if (!this.#isBurst(nowMs)) return false;
    const relapses = nowMs - this.#closedAtMs < this.#terms.relapseMs;
    this.#wait(nowMs, relapses ? this.#computeNextWaitMs() : this.#terms.waitMs);
    return true;
  }

  /** Ends a probe without an outcome, so that the next call may be a probe. */
  release(): void {
    this.#probing = false;
  }

  #isBurst(nowMs: number): boolean {
    const { inRowMax } = this.#terms;
    if (this.#failuresInRow >= inRowMax) return true;
    const bad = this.#recent.at(BAD, nowMs);
    return bad >= inRowMax - FADED && bad >= SHARE_MIN * (bad + this.#recent.at(GOOD, nowMs));
  }

  #computeNextWaitMs(): number {
    return Math.min(this.#waitMs * 2, this.#terms.waitMaxMs);
  }

  #wait(nowMs: number, waitMs: number): void {
    this.#waitMs = waitMs;
    this.#probeAtMs = nowMs + waitMs;
    this.#probing = false;
  }
}
