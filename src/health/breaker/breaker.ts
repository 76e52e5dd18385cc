// The circuit breaker of a deployment, an address, a credential, a hook or a tool: one circuit for each payer, and one reading
// for everybody, which refuses nobody who is served.
import type { Evidence, Passage } from "../../core/health/evidence.ts";
import type { Vitals } from "../../core/health/health.ts";
import { type CircuitTerms, Gate, type PayerCircuit, probesOwn } from "./circuit.ts";
import { CALLER, OutcomeRing, SHARED, WORKED } from "./outcome-ring.ts";
import { PayerCircuits } from "./payer-circuits.ts";
import { type Outcomes, SharedOutcomes } from "./shared-outcomes.ts";
import { Places, Standing } from "./standing.ts";

/** It closes for everybody if nobody has failed for so long, and for the longest wait between tests. */
const QUIET_MS = 30_000;

const CALL_TERMS: CircuitTerms = {
  inRowMax: 5,
  countsShare: true,
  waitMs: 1000,
  waitMaxMs: 30_000,
  relapseMs: 60_000,
  sharedShuts: false,
};

/** The circuit of payers that haven't called yet. */
const STRANGER = { gate: new Gate(CALL_TERMS), standing: new Standing() } as const;

/** For whom a breaker has opened or closed. */
export type Change = "all" | "payer" | null;

/** Times are on the monotonic clock. */
export class Breaker {
  readonly #terms: CircuitTerms;
  readonly #ring = new OutcomeRing();
  /** Shut for everybody by what no request can have caused, until one call succeeds. */
  readonly #shut: Gate;
  /** True while the numbers are reached with any one side left out. */
  #isOpen = false;
  #failedMs = Number.NEGATIVE_INFINITY;
  readonly #places = new Places();
  readonly #circuits: PayerCircuits;
  /** The number of circuits that are open. */
  #openCircuits = 0;
  /** Shared failures so far. */
  #sharedRow = 0;
  readonly #outcomes = new SharedOutcomes();

  constructor(terms: CircuitTerms = CALL_TERMS) {
    this.#terms = terms;
    this.#shut = new Gate(terms);
    this.#circuits = new PayerCircuits(terms, (circuit) => this.#drop(circuit));
  }

  /** True if the payer's calls don't pass freely. `isServed` if something else shows that the payer is served. */
  isOpenFor(nowMs: number, payer: string, isServed = false): boolean {
    if (this.#shut.isOpen) return true;
    const { gate, standing } = this.#circuits.get(payer) ?? STRANGER;
    return gate.isOpen || (this.#isOpenAt(nowMs) && !isServed && !standing.isServed(nowMs));
  }

  /** True if it is open for everybody who isn't served. */
  isOpenForAll(nowMs: number): boolean {
    return this.#shut.isOpen || this.#isOpenAt(nowMs);
  }

  get isAnyOpen(): boolean {
    return this.#shut.isOpen || this.#isOpen || this.#openCircuits > 0;
  }

  /** Its state for all: of the reading for everybody, or of all those in use, each of whom has failed and isn't served. */
  readState(nowMs: number): Vitals["breaker"] {
    if (this.#shut.isOpen) return this.#shut.state;
    if (this.#isOpenAt(nowMs)) return this.#places.areFree ? "open" : "half_open";
    if (this.#openCircuits === 0) return "closed";
    const states = this.#circuits.listSides(nowMs);
    if (states.includes("closed")) return "closed";
    return states.includes("half_open") ? "half_open" : "open";
  }

  /** The wait until somebody's call may pass. Null if it ends with a running probe. */
  waitForAllMs(nowMs: number): number | null {
    if (this.#shut.isOpen) return this.#shut.waitMs(nowMs);
    if (this.#isOpen || this.readState(nowMs) === "closed") return 0;
    const open = [...this.#circuits.values()].filter(({ gate }) => gate.isOpen);
    const waits = open.flatMap(({ gate }) => gate.waitMs(nowMs) ?? []);
    return waits.length === 0 ? null : Math.min(...waits);
  }

  /** Shuts it for every payer, whatever the calls so far say. */
  shut(nowMs: number): void {
    if (!this.#shut.isOpen) this.#shut.open(nowMs);
  }

  /** The payers whose own circuits are open. */
  listOpenPayers(): readonly string[] {
    return this.#openCircuits === 0 ? [] : this.#circuits.listOpen();
  }

  /** The wait until a payer's call may pass. Null if it ends with a call that is out. */
  waitMs(nowMs: number, payer: string, isServed = false): number | null {
    const { gate, standing } = this.#circuits.get(payer) ?? STRANGER;
    const ownMs = gate.waitMs(nowMs);
    const shutMs = this.#shut.waitMs(nowMs);
    const turnMs = !isServed && this.#isOpenAt(nowMs) ? this.#waitForTurnMs(nowMs, payer, standing) : 0;
    if (ownMs === null || shutMs === null || turnMs === null) return null;
    return Math.max(ownMs, shutMs, turnMs);
  }

  #waitForTurnMs(nowMs: number, payer: string, standing: Standing): number | null {
    if (standing.isServed(nowMs)) return 0;
    const ownMs = standing.waitMs(nowMs);
    return ownMs === 0 && !this.#hasPlace(nowMs, payer, standing) ? null : ownMs;
  }

  /** True if nothing but calls that are out keeps the payer's away, so that it may pass in a moment. */
  lacksPlace(nowMs: number, payer: string): boolean {
    if (!this.#isOpenAt(nowMs) || this.#shut.isOpen) return false;
    const { gate, standing } = this.#circuits.get(payer) ?? STRANGER;
    if (gate.waitMs(nowMs) !== 0 || standing.isServed(nowMs)) return false;
    const waitMs = standing.waitMs(nowMs);
    if (waitMs === null) return !standing.hasFailed(nowMs);
    return waitMs === 0 && !this.#hasPlace(nowMs, payer, standing);
  }

  #hasPlace(nowMs: number, payer: string, standing: Standing): boolean {
    return this.#places.has(standing.hasFailed(nowMs), this.#circuits.nameVoice(nowMs, payer));
  }

  /** Lets a call pass, or returns null. The outcome of one that doesn't pass freely must be recorded. */
  pass(nowMs: number, payer: string, isServed = false): Passage | null {
    if (!this.isOpenFor(nowMs, payer, isServed)) return "free";
    if (this.waitMs(nowMs, payer, isServed) !== 0) return null;
    const own = this.#circuits.call(nowMs, payer, this.#sharedRow);
    const isOwn = own.gate.isOpen;
    if (isOwn) own.gate.take();
    if (this.#shut.isOpen) this.#shut.take();
    else if (!this.#isOpen || isServed || own.standing.isServed(nowMs)) return isOwn ? "own" : "free";
    if (this.#isOpen) this.#places.take(own.standing, nowMs, this.#circuits.nameVoice(nowMs, payer));
    return isOwn ? "both" : "all";
  }

  /** The time of a payer's last call. 0 if it never called. */
  calledAtMs(payer: string): number {
    return this.#circuits.get(payer)?.calledMs ?? 0;
  }

  /** Returns for whom this closes it. `side` names those who are left out with the payer in the reading for all. */
  recordSuccess(nowMs: number, payer: string, passage: Passage, side?: string): Change {
    const own = this.#circuits.call(nowMs, payer, this.#sharedRow);
    this.#outcomes.addGood(nowMs, own);
    own.standing.recordSuccess(nowMs);
    this.#ring.add(nowMs, side ?? own.side, WORKED);
    const wasOpen = this.#isOpen || (own.gate.isOpen && this.readState(nowMs) !== "closed");
    const wasShut = this.#shut.isOpen && probesAll(passage);
    if (probesAll(passage)) this.#places.giveBack(own.standing);
    const isBack = own.recordSuccess(nowMs, passage, this.#sharedRow);
    if (isBack) {
      this.#openCircuits--;
      this.#outcomes.forgive(nowMs, own);
    }
    if (wasShut) this.#shut.close(nowMs);
    if (passage !== "free") this.#ring.forgetShared();
    if (this.#isOpen && !this.#ring.isBurst(nowMs, this.#terms)) this.#close();
    if (wasShut || (wasOpen && this.readState(nowMs) === "closed")) return "all";
    return isBack && !this.isOpenForAll(nowMs) ? "payer" : null;
  }

  /** Returns for whom this opens it. `side` as for a success. */
  recordFailure(nowMs: number, payer: string, passage: Passage, evidence: Evidence, side?: string): Change {
    const own = this.#circuits.call(nowMs, payer, this.#sharedRow);
    const wasOpen = this.isOpenForAll(nowMs);
    this.#failForAll(nowMs, own, passage, evidence, side);
    const isShared = evidence === "shared";
    const isEverybodys = isShared && this.#terms.sharedShuts && !probesOwn(passage);
    const opens = !isEverybodys && own.recordFailure(nowMs, passage, this.#sharedRow, isShared);
    if (isShared) this.#sharedRow++;
    if (opens) this.#openCircuits++;
    if (wasOpen) return null;
    if (this.isOpenForAll(nowMs)) return "all";
    if (!opens) return null;
    return this.readState(nowMs) === "closed" ? "payer" : "all";
  }

  /** Counts a failure in all that isn't the payer's own circuit. */
  #failForAll(nowMs: number, own: PayerCircuit, passage: Passage, evidence: Evidence, side = own.side): void {
    const isShared = evidence === "shared";
    const isTest = probesAll(passage);
    if (isShared) this.recordShared(nowMs);
    else this.#outcomes.addBad(nowMs, own);
    own.standing.recordFailure(nowMs, isTest, this.#terms);
    if (isTest) this.#places.giveBack(own.standing);
    this.#ring.add(nowMs, side, isShared ? SHARED : CALLER);
    this.#failedMs = nowMs;
    if (this.#shut.isOpen) {
      if (isTest) this.#shut.extend(nowMs);
    } else if (isShared && this.#terms.sharedShuts) this.#shut.open(nowMs);
    else if (this.#ring.isBurst(nowMs, this.#terms)) this.#isOpen = true;
  }

  /** Records a failure that the breaker doesn't count, but those who choose among several do. */
  recordShared(nowMs: number): void {
    this.#outcomes.addShared(nowMs);
  }

  /** A payer's answer begins to come in: until it ends, the payer is served. */
  beginAnswer(payer: string): void {
    this.#circuits.get(payer)?.standing.beginAnswer();
  }

  endAnswer(payer: string): void {
    this.#circuits.get(payer)?.standing.endAnswer();
  }

  /**
   * The recent outcomes that a payer's choice rests on: its own and shared failures, and as long as it isn't served, those of the
   * others without the side with the most failures. All outcomes if the payer is null.
   */
  countOutcomes(nowMs: number, payer: string | null, isServed?: boolean): Outcomes {
    if (payer === null) return this.#outcomes.countAll(nowMs);
    const own = this.#circuits.get(payer);
    const isOnlyOne = this.#circuits.size - Number(own !== undefined) <= 1;
    if (isOnlyOne || (isServed ?? own?.standing.isServed(nowMs))) return this.#outcomes.countOwn(nowMs, own);
    return this.#outcomes.countFor(nowMs, own);
  }

  /** True if a call of the payer was answered within a minute and none has failed since, or if an answer is coming in. */
  isServed(nowMs: number, payer: string): boolean {
    return this.#circuits.get(payer)?.standing.isServed(nowMs) === true;
  }

  /** A call that didn't pass freely ends without an outcome. */
  release(payer: string, passage: Passage): void {
    const own = this.#circuits.get(payer);
    if (own === undefined) return;
    if (probesOwn(passage)) own.gate.release();
    if (!probesAll(passage)) return;
    this.#shut.release();
    this.#places.giveBack(own.standing);
  }

  /** Something else shows that it may have recovered: the next call may be a probe. */
  hasten(nowMs: number): void {
    this.#shut.hasten(nowMs);
    for (const { gate, standing } of this.#circuits.values()) {
      gate.hasten(nowMs);
      standing.hasten(nowMs);
    }
  }

  #isOpenAt(nowMs: number): boolean {
    const quietMs = Math.max(QUIET_MS, this.#terms.waitMaxMs);
    if (this.#isOpen && nowMs - this.#failedMs >= quietMs && this.#places.areFree) {
      this.#ring.clear();
      this.#close();
    }
    return this.#isOpen;
  }

  /** Earlier failures must not keep requests away from what has recovered. Each payer's own circuit stays as it is. */
  #close(): void {
    this.#isOpen = false;
    this.#outcomes.clear();
    for (const { outcomes } of this.#circuits.values()) outcomes.clear();
  }

  #drop(circuit: PayerCircuit): void {
    if (circuit.gate.isOpen) this.#openCircuits--;
    this.#outcomes.forget(circuit);
    while (circuit.standing.out > 0) this.#places.giveBack(circuit.standing);
  }
}

function probesAll(passage: Passage): boolean {
  return passage === "all" || passage === "both";
}
