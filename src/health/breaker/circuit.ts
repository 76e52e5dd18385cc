// One circuit of a breaker: closed while calls succeed, open after a burst of failures, half-open while one probe is out.
import type { Passage } from "../../core/health/evidence.ts";
import type { Vitals } from "../../core/health/health.ts";
import { FadingPair } from "../decay.ts";
import { Standing, type Waits } from "./standing.ts";

/** Failures fade by this, so that only those of the last seconds count together. */
export const HALF_LIFE_MS = 10_000;
/** Outcomes weigh on the choice among deployments for longer. */
export const OUTCOMES_HALF_LIFE_MS = 30_000;
/** Failures between successes also open it if they total nearly as many within seconds, fading by up to this, … */
const FADED = 0.5;
/** … and are at least this share of the calls. */
const SHARE_MIN = 0.5;

export interface CircuitTerms extends Waits {
  /** The number of consecutive failures that open it, however far apart they are. */
  readonly inRowMax: number;
  /** True if failures between successes open it, too. */
  readonly countsShare: boolean;
  /** If it opens again within this time after it closed, the longer waits continue. */
  readonly relapseMs: number;
  /** True if evidence that no request can have caused shuts it for everybody at once. */
  readonly sharedShuts: boolean;
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

  /** The wait until a call may pass. Null if it ends with the running probe. */
  waitMs(nowMs: number): number | null {
    if (this.#probeAtMs === null) return 0;
    return this.#probing ? null : Math.max(0, this.#probeAtMs - nowMs);
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

  /** The probe failed. */
  extend(nowMs: number): void {
    this.#wait(nowMs, this.#doubleWait());
  }

  /** Ends a probe without an outcome, so that the next call may be a probe. */
  release(): void {
    this.#probing = false;
  }

  /** Something else shows that the failures may be over: a probe may pass at once. */
  hasten(nowMs: number): void {
    if (this.#probeAtMs !== null) this.#probeAtMs = Math.min(this.#probeAtMs, nowMs);
  }

  #doubleWait(): number {
    return Math.min(this.#waitMs * 2, this.#terms.waitMaxMs);
  }

  #wait(nowMs: number, waitMs: number): void {
    this.#waitMs = waitMs;
    this.#probeAtMs = nowMs + waitMs;
    this.#probing = false;
  }
}

/** The circuit of one payer, and what else is known of the payer. */
export class PayerCircuit {
  readonly gate: Gate;
  /** Those whose failures are left out with the payer's. */
  readonly side: string;
  readonly standing = new Standing();
  /** All outcomes of the payer's calls, whether or not they count for the circuit. */
  readonly outcomes = new FadingPair(OUTCOMES_HALF_LIFE_MS);
  readonly #terms: CircuitTerms;
  readonly #recent = new FadingPair(HALF_LIFE_MS);
  #row = 0;
  /** The failures of the breaker's shared row that came before the payer's last success, or are its own. */
  #sharedBefore: number;
  calledMs = 0;

  constructor(terms: CircuitTerms, side: string, sharedRow: number) {
    this.#terms = terms;
    this.side = side;
    this.gate = new Gate(terms);
    this.#sharedBefore = sharedRow;
  }

  /** `sharedRow` is the number of shared failures so far. True if this closes it. */
  recordSuccess(nowMs: number, passage: Passage, sharedRow: number): boolean {
    if (!this.gate.isOpen) {
      this.#row = 0;
      this.#sharedBefore = sharedRow;
      this.#recent.add(true, nowMs);
      return false;
    }
    // The call began before the circuit opened, so its success doesn't show that the upstream has recovered.
    if (!probesOwn(passage)) return false;
    this.gate.close(nowMs);
    this.#row = 0;
    this.#sharedBefore = sharedRow;
    this.#recent.clear();
    return true;
  }

  /** `sharedRow` is the number of shared failures before this one. True if this opens it. */
  recordFailure(nowMs: number, passage: Passage, sharedRow: number, isShared: boolean): boolean {
    if (isShared) this.#sharedBefore++;
    if (this.gate.isOpen) {
      if (probesOwn(passage)) this.gate.extend(nowMs);
      return false;
    }
    this.#row++;
    this.#recent.add(false, nowMs);
    const row = this.#row + sharedRow + Number(isShared) - this.#sharedBefore;
    if (!isBurst(this.#terms, row, this.#recent.goodAt(nowMs), this.#recent.badAt(nowMs))) return false;
    this.gate.open(nowMs);
    return true;
  }
}
