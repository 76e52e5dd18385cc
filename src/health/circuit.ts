// One circuit of a breaker: closed while calls succeed, open after a burst of failures, half-open while one probe is out.
import type { Passage } from "../core/health/evidence.ts";
import type { Vitals } from "../core/health/health.ts";
import { FadingCounts } from "./decay.ts";

/** Failures fade by this, so that only those of the last seconds count together. */
export const HALF_LIFE_MS = 10_000;
/** Outcomes weigh on the choice among deployments for longer. */
export const OUTCOMES_HALF_LIFE_MS = 30_000;
/** Failures between successes also open it if they total nearly as many within seconds, fading by up to this, … */
const FADED = 0.5;
/** … and are at least this share of the calls. */
const SHARE_MIN = 0.5;

export const GOOD = 0;
export const BAD = 1;

export interface CircuitTerms {
  /** The number of consecutive failures that open it, however far apart they are. */
  readonly inRowMax: number;
  /** True if failures between successes open it, too. */
  readonly countsShare: boolean;
  /** The time from opening to the first probe. Each failed probe doubles it, up to the maximum. */
  readonly waitMs: number;
  readonly waitMaxMs: number;
  /** If it opens again within this time after it closed, the longer waits continue. */
  readonly relapseMs: number;
}

export function probesOwn(passage: Passage): boolean {
  return passage === "own" || passage === "both";
}

/** `good` and `bad` are the faded counts of outcomes, `row` the failures since the last success. */
export function isBurst(
  { inRowMax, countsShare }: CircuitTerms,
  row: number,
  good: number,
  bad: number,
): boolean {
  if (row >= inRowMax) return true;
  return countsShare && bad >= inRowMax - FADED && bad >= SHARE_MIN * (bad + good);
}

/** Lets calls pass, none, or one at a time that tests whether the failures are over. */
export class Gate {
  readonly #terms: CircuitTerms;
  #waitMs: number;
  #closedAtMs = Number.NEGATIVE_INFINITY;
  /** The time from which a probe may pass. Null if all calls pass. */
  #probeAtMs: number | null = null;
  #probing = false;
  /** The payer whose probe failed since the last wait, which proves nothing to others. Null if there is none. */
  #refutedBy: string | null = null;
  #refutedUntilMs = 0;

  constructor(terms: CircuitTerms) {
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

  /** The wait until a payer's call may pass. Null if it ends with the running probe. */
  waitMs(nowMs: number, payer: string): number | null {
    if (this.#probeAtMs === null) return 0;
    if (this.#probing) return null;
    const atMs = payer === this.#refutedBy ? this.#refutedUntilMs : this.#probeAtMs;
    return Math.max(0, atMs - nowMs);
  }

  /** A probe passes; its outcome must be recorded. */
  take(): void {
    this.#probing = true;
  }

  open(nowMs: number): void {
    const relapses = nowMs - this.#closedAtMs < this.#terms.relapseMs;
    this.#wait(nowMs, relapses ? this.#doubleWait() : this.#terms.waitMs);
  }

  close(nowMs: number): void {
    this.#probeAtMs = null;
    this.#probing = false;
    this.#closedAtMs = nowMs;
  }

  /** The probe failed for everybody. */
  extend(nowMs: number): void {
    this.#wait(nowMs, this.#doubleWait());
  }

  /** The probe failed, which may be its payer's doing: others may probe at once, and the second who fails confirms it. */
  extendFor(nowMs: number, payer: string): void {
    const isConfirmed = this.#refutedBy !== null && this.#refutedBy !== payer;
    if (isConfirmed) this.extend(nowMs);
    else this.#refute(nowMs, payer);
  }

  #refute(nowMs: number, payer: string): void {
    const isFirst = this.#refutedBy === null;
    const beforeMs = isFirst ? this.#waitMs : this.#refutedUntilMs - (this.#probeAtMs ?? nowMs);
    this.#refutedBy = payer;
    this.#refutedUntilMs = nowMs + Math.min(beforeMs * 2, this.#terms.waitMaxMs);
    this.#probeAtMs = nowMs;
    this.#probing = false;
  }

  /** Ends a probe without an outcome, so that the next call may be a probe. */
  release(): void {
    this.#probing = false;
  }

  /** Something else shows that the failures may be over: a probe may pass at once. */
  hasten(nowMs: number): void {
    if (this.#probeAtMs !== null) this.#probeAtMs = Math.min(this.#probeAtMs, nowMs);
    this.#refutedBy = null;
  }

  #doubleWait(): number {
    return Math.min(this.#waitMs * 2, this.#terms.waitMaxMs);
  }

  #wait(nowMs: number, waitMs: number): void {
    this.#waitMs = waitMs;
    this.#probeAtMs = nowMs + waitMs;
    this.#probing = false;
    this.#refutedBy = null;
  }
}

/** The circuit of one payer. */
export class PayerCircuit {
  readonly gate: Gate;
  /** All outcomes of the payer's calls, whether or not they count for the circuit. */
  readonly outcomes = new FadingCounts(2, OUTCOMES_HALF_LIFE_MS);
  readonly #terms: CircuitTerms;
  readonly #recent = new FadingCounts(2, HALF_LIFE_MS);
  #row = 0;
  calledMs = 0;

  constructor(terms: CircuitTerms) {
    this.#terms = terms;
    this.gate = new Gate(terms);
  }

  /** True if this closes it. */
  recordSuccess(nowMs: number, passage: Passage): boolean {
    if (!this.gate.isOpen) {
      this.#row = 0;
      this.#recent.add(GOOD, nowMs);
      return false;
    }
    // The call began before the circuit opened, so its success doesn't show that the upstream has recovered.
    if (!probesOwn(passage)) return false;
    this.reset(nowMs);
    return true;
  }

  /** True if this opens it. */
  recordFailure(nowMs: number, passage: Passage): boolean {
    if (this.gate.isOpen) {
      if (probesOwn(passage)) this.gate.extend(nowMs);
      return false;
    }
    this.#row++;
    this.#recent.add(BAD, nowMs);
    if (!isBurst(this.#terms, this.#row, this.#recent.at(GOOD, nowMs), this.#recent.at(BAD, nowMs)))
      return false;
    this.gate.open(nowMs);
    return true;
  }

  reset(nowMs: number): void {
    if (this.gate.isOpen) this.gate.close(nowMs);
    this.#row = 0;
    this.#recent.clear();
    // It has recovered: its earlier failures must not keep requests away.
    this.outcomes.clear();
  }
}
