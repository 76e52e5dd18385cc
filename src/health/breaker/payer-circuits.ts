// The circuits of a breaker's payers: of all who called within the hour, up to a bound.
import type { Vitals } from "../../core/health/health.ts";
import { IN_USE_MS, nameSide, Voices } from "../../core/keys/payer.ts";
import type { CircuitTerms } from "./circuit.ts";
import { PayerCircuit } from "./circuit.ts";

/** Beyond this number, payers are forgotten that called long ago. */
const PAYERS_MAX = 20_000;
/** The most payers looked at for one that called long ago. */
const LOOKS_MAX = 32;

/** Times are on the monotonic clock. */
export class PayerCircuits {
  readonly #terms: CircuitTerms;
  readonly #dropped: (circuit: PayerCircuit) => void;
  readonly #circuits = new Map<string, PayerCircuit>();
  readonly #voices = new Voices();

  /** `dropped` is called with each one that is forgotten. */
  constructor(terms: CircuitTerms, dropped: (circuit: PayerCircuit) => void) {
    this.#terms = terms;
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#circuits.size;
  }

  get(payer: string): PayerCircuit | undefined {
    return this.#circuits.get(payer);
  }

  /** Returns that of a payer that calls. `sharedRow` is the number of shared failures before it. */
  call(nowMs: number, payer: string, sharedRow: number): PayerCircuit {
    const own = this.#circuits.get(payer) ?? this.#make(nowMs, payer, sharedRow);
    own.calledMs = nowMs;
    this.#voices.recordCall(nowMs, payer);
    return own;
  }

  values(): MapIterator<PayerCircuit> {
    return this.#circuits.values();
  }

  /** Names those who share places with the payer. */
  nameVoice(nowMs: number, payer: string): string {
    return this.#voices.nameVoice(nowMs, payer);
  }

  listOpen(): readonly string[] {
    return [...this.#circuits].flatMap(([payer, { gate }]) => (gate.isOpen ? [payer] : []));
  }

  /** The state of each side in use: closed unless one of its payers failed, and none is served. */
  listSides(nowMs: number): readonly Vitals["breaker"][] {
    const sides = new Map<string, Vitals["breaker"]>();
    const served = new Set<string>();
    for (const { side, gate, standing, calledMs } of this.#circuits.values()) {
      if (nowMs - calledMs >= IN_USE_MS && !gate.isOpen) continue;
      if (!gate.isOpen && standing.isServed(nowMs)) served.add(side);
      if (gate.isOpen || !sides.has(side)) sides.set(side, gate.state);
    }
    return [...sides].map(([side, state]) => (served.has(side) ? "closed" : state));
  }

  #make(nowMs: number, payer: string, sharedRow: number): PayerCircuit {
    const made = new PayerCircuit(this.#terms, nameSide(payer), sharedRow);
    if (this.#circuits.size >= PAYERS_MAX) this.#forgetOne(nowMs);
    this.#circuits.set(payer, made);
    return made;
  }

  /** Those that are still in use go to the end. */
  #forgetOne(nowMs: number): void {
    for (let looks = 1; looks <= LOOKS_MAX; looks++) {
      const [[payer, circuit] = []] = this.#circuits;
      if (payer === undefined || circuit === undefined) return;
      this.#circuits.delete(payer);
      if (nowMs - circuit.calledMs >= IN_USE_MS || looks === LOOKS_MAX) {
        this.#dropped(circuit);
        return;
      }
      this.#circuits.set(payer, circuit);
    }
  }
}
