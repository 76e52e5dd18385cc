// The circuit breaker of a deployment, an address, a hook or a tool: one circuit for each payer, and one for all.
import type { Evidence, Passage } from "../core/health/evidence.ts";
import type { Vitals } from "../core/health/health.ts";
import { NOBODY } from "../core/keys/key.ts";
import {
  BAD,
  type CircuitTerms,
  Gate,
  GOOD,
  HALF_LIFE_MS,
  isBurst,
  OUTCOMES_HALF_LIFE_MS,
  PayerCircuit,
  probesOwn,
} from "./circuit.ts";
import { FadingCounts } from "./decay.ts";
import { IN_USE_MS } from "./voices.ts";

/** Beyond this number, the payer that called longest ago is forgotten. */
const PAYERS_MAX = 256;

const CALL_TERMS: CircuitTerms = {
  inRowMax: 5,
  countsShare: true,
  waitMs: 1000,
  waitMaxMs: 30_000,
  relapseMs: 60_000,
};

/** For whom a breaker has opened or closed. One payer alone in use is all. */
export type Change = "all" | "payer" | null;

/** The outcomes of a payer's calls, the older ones counting less. */
export interface Outcomes {
  readonly good: number;
  readonly bad: number;
}

const RING_SIZE = 64;
/** An outcome in the ring: good, or bad by one of the two kinds of evidence. */
const WORKED = 0;
const CALLER = 1;
const SHARED = 2;

/** The last outcomes with their payers, read as if one of them had never called. */
class OutcomeRing {
  readonly #payers: string[] = [];
  readonly #kinds = new Uint8Array(RING_SIZE);
  readonly #times = new Float64Array(RING_SIZE);
  /** The place of the next one. */
  #next = 0;

  add(nowMs: number, payer: string, kind: number): void {
    this.#payers[this.#next] = payer;
    this.#kinds[this.#next] = kind;
    this.#times[this.#next] = nowMs;
    this.#next = (this.#next + 1) % RING_SIZE;
  }

  clear(): void {
    this.#payers.length = 0;
    this.#next = 0;
  }

  /** True if the numbers are reached whichever payer is left out. */
  isBurst(nowMs: number, terms: CircuitTerms): boolean {
    const failures = new Map<string, number>();
    let shared = 0;
    for (const [at, payer] of this.#payers.entries()) {
      if (this.#kinds[at] === CALLER) failures.set(payer, (failures.get(payer) ?? 0) + 1);
      else if (this.#kinds[at] === SHARED) shared++;
    }
    const counts = [...failures.values()];
    const most = Math.max(0, ...counts);
    // Nearly always, nobody else's are enough.
    if (shared + counts.reduce((sum, count) => sum + count, 0) - most < terms.inRowMax) return false;
    return failures.size === 0
      ? this.#isBurstWithout(null, nowMs, terms)
      : [...failures.keys()].every((payer) => this.#isBurstWithout(payer, nowMs, terms));
  }

  #isBurstWithout(leftOut: string | null, nowMs: number, terms: CircuitTerms): boolean {
    let row = 0;
    let isRow = true;
    let good = 0;
    let bad = 0;
    const count = this.#payers.length;
    for (let back = 1; back <= count; back++) {
      const at = (this.#next - back + RING_SIZE) % RING_SIZE;
      const kind = this.#kinds[at];
      if (kind !== SHARED && this.#payers[at] === leftOut) continue;
      const weight = 2 ** (((this.#times[at] ?? 0) - nowMs) / HALF_LIFE_MS);
      if (kind === WORKED) {
        isRow = false;
        good += weight;
      } else {
        if (isRow) row++;
        bad += weight;
      }
    }
    return isBurst(terms, row, good, bad);
  }
}

/** Times are on the monotonic clock. */
export class Breaker {
  readonly #terms: CircuitTerms;
  readonly #ring = new OutcomeRing();
  readonly #all: Gate;
  readonly #circuits = new Map<string, PayerCircuit>();
  /** Failures that count for everybody's choice. */
  readonly #shared = new FadingCounts(1, OUTCOMES_HALF_LIFE_MS);

  constructor(terms: CircuitTerms = CALL_TERMS) {
    this.#terms = terms;
    this.#all = new Gate(terms);
  }

  isOpenFor(payer: string): boolean {
    return this.#all.isOpen || this.#circuits.get(payer)?.gate.isOpen === true;
  }

  /** True if it is open for every payer. */
  get isOpenForAll(): boolean {
    return this.#all.isOpen;
  }

  get isAnyOpen(): boolean {
    if (this.#all.isOpen) return true;
    for (const { gate } of this.#circuits.values()) if (gate.isOpen) return true;
    return false;
  }

  /** Its state for all: of the circuit for all, or of each payer in use. */
  readState(nowMs: number): Vitals["breaker"] {
    if (this.#all.isOpen) return this.#all.state;
    const inUse = this.#listInUse(nowMs);
    const states = inUse.map(({ gate }) => gate.state);
    if (states.length === 0 || states.includes("closed")) return "closed";
    return states.includes("half_open") ? "half_open" : "open";
  }

  /** The wait until somebody's call may pass. Null if it ends with a running probe. */
  waitForAllMs(nowMs: number): number | null {
    if (this.#all.isOpen) return this.#all.waitMs(nowMs, NOBODY);
    if (this.readState(nowMs) === "closed") return 0;
    const waits = this.#listInUse(nowMs).flatMap(({ gate }) => gate.waitMs(nowMs, NOBODY) ?? []);
    return waits.length === 0 ? null : Math.min(...waits);
  }

  /** Opens it for every payer, whatever the calls so far say. */
  openForAll(nowMs: number): void {
    if (!this.#all.isOpen) this.#all.open(nowMs);
  }

  /** The payers whose own circuits are open. */
  listOpenPayers(): readonly string[] {
    return [...this.#circuits].flatMap(([payer, { gate }]) => (gate.isOpen ? [payer] : []));
  }

  /** The wait until a payer's call may pass. Null if it ends with a running probe. */
  waitMs(nowMs: number, payer: string): number | null {
    const own = this.#circuits.get(payer)?.gate;
    if (own === undefined || !own.isOpen) return this.#all.waitMs(nowMs, payer);
    const ownMs = own.waitMs(nowMs, payer);
    const allMs = this.#all.waitMs(nowMs, payer);
    return ownMs === null || allMs === null ? null : Math.max(ownMs, allMs);
  }

  /** Lets a call pass, or returns null. The outcome of one that doesn't pass freely must be recorded. */
  pass(nowMs: number, payer: string): Passage | null {
    if (!this.isOpenFor(payer)) return "free";
    if (this.waitMs(nowMs, payer) !== 0) return null;
    const own = this.#circuits.get(payer)?.gate;
    const isOwn = own?.isOpen === true;
    if (isOwn) own.take();
    if (!this.#all.isOpen) return "own";
    this.#all.take();
    return isOwn ? "both" : "all";
  }

  /** When a payer last called, on the monotonic clock. 0 if it never did. */
  calledAtMs(payer: string): number {
    return this.#circuits.get(payer)?.calledMs ?? 0;
  }

  /** Returns for whom this closes it. `voice` names those whose outcome it is in the reading for all. */
  recordSuccess(nowMs: number, payer: string, passage: Passage, voice = payer): Change {
    const own = this.#circuits.get(payer) ?? this.#make(payer);
    own.calledMs = nowMs;
    own.outcomes.add(GOOD, nowMs);
    if (!this.#all.isOpen) this.#ring.add(nowMs, voice, WORKED);
    else if (probesAll(passage)) return this.#recover(nowMs);
    return own.recordSuccess(nowMs, passage) && !this.#all.isOpen ? this.#name(nowMs) : null;
  }

  /** Returns for whom this opens it. `voice` names those whose outcome it is in the reading for all. */
  recordFailure(nowMs: number, payer: string, passage: Passage, evidence: Evidence, voice = payer): Change {
    const own = this.#circuits.get(payer) ?? this.#make(payer);
    own.calledMs = nowMs;
    if (evidence === "shared") this.recordShared(nowMs);
    else own.outcomes.add(BAD, nowMs);
    if (this.#all.isOpen) {
      this.#recordProbe(nowMs, payer, passage, evidence);
      return null;
    }
    this.#ring.add(nowMs, voice, evidence === "shared" ? SHARED : CALLER);
    if (this.#ring.isBurst(nowMs, this.#terms)) {
      this.#all.open(nowMs);
      if (probesOwn(passage)) own.recordFailure(nowMs, passage);
      return "all";
    }
    if (evidence === "shared") this.#countForOthers(nowMs, own);
    return own.recordFailure(nowMs, passage) ? this.#name(nowMs) : null;
  }

  #recordProbe(nowMs: number, payer: string, passage: Passage, evidence: Evidence): void {
    if (probesOwn(passage)) this.#circuits.get(payer)?.recordFailure(nowMs, passage);
    if (!probesAll(passage)) return;
    if (evidence === "shared") this.#all.extend(nowMs);
    else this.#all.extendFor(nowMs, payer);
  }

  #countForOthers(nowMs: number, own: PayerCircuit): void {
    for (const circuit of this.#circuits.values()) if (circuit !== own) circuit.recordFailure(nowMs, "free");
  }

  /** Records a failure that the breaker doesn't count, but those who choose among several do. */
  recordShared(nowMs: number): void {
    this.#shared.add(0, nowMs);
  }

  /**
   * The recent outcomes that a payer's choice rests on: its own, shared failures, and those of the others without the one with
   * the most failures. All outcomes if the payer is null.
   */
  countOutcomes(nowMs: number, payer: string | null): Outcomes {
    let good = 0;
    let bad = this.#shared.at(0, nowMs);
    let worst: PayerCircuit | null = null;
    let worstBad = -1;
    for (const [name, circuit] of this.#circuits) {
      const failed = circuit.outcomes.at(BAD, nowMs);
      good += circuit.outcomes.at(GOOD, nowMs);
      bad += failed;
      if (payer === null || name === payer || failed <= worstBad) continue;
      worst = circuit;
      worstBad = failed;
    }
    if (worst === null) return { good, bad };
    return { good: good - worst.outcomes.at(GOOD, nowMs), bad: bad - worstBad };
  }

  /** Ends a probe without an outcome, so that the next call may be a probe. */
  release(payer: string, passage: Passage): void {
    if (probesOwn(passage)) this.#circuits.get(payer)?.gate.release();
    if (probesAll(passage)) this.#all.release();
  }

  /** Something else shows that it may have recovered: the next call may be a probe. */
  hasten(nowMs: number): void {
    this.#all.hasten(nowMs);
    for (const { gate } of this.#circuits.values()) gate.hasten(nowMs);
  }

  #recover(nowMs: number): Change {
    this.#all.close(nowMs);
    this.#ring.clear();
    this.#shared.clear();
    for (const circuit of this.#circuits.values()) circuit.reset(nowMs);
    return "all";
  }

  /** Returns for whom the circuit of a payer that has just called stands. */
  #name(nowMs: number): Change {
    return this.#listInUse(nowMs).length === 1 ? "all" : "payer";
  }

  #listInUse(nowMs: number): readonly PayerCircuit[] {
    const known = [...this.#circuits.values()];
    const inUse = known.filter(({ calledMs }) => nowMs - calledMs < IN_USE_MS);
    return inUse.length === 0 ? known : inUse;
  }

  #make(payer: string): PayerCircuit {
    const made = new PayerCircuit(this.#terms);
    if (this.#circuits.size >= PAYERS_MAX) this.#forgetOldest();
    this.#circuits.set(payer, made);
    return made;
  }

  #forgetOldest(): void {
    let oldest: string | null = null;
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const [payer, { calledMs }] of this.#circuits) {
      if (calledMs >= oldestMs) continue;
      oldest = payer;
      oldestMs = calledMs;
    }
    if (oldest !== null) this.#circuits.delete(oldest);
  }
}

function probesAll(passage: Passage): boolean {
  return passage === "all" || passage === "both";
}
