// The recent outcomes of all payers at one breaker, as the choice among several reads them.

import { FadingCounts } from "../decay.ts";
import type { PayerCircuit } from "./circuit.ts";
import { OUTCOMES_HALF_LIFE_MS } from "./circuit.ts";

/** Beyond this number of payers whose failures weigh on a choice, the one that failed longest ago is left out. */
const FAILING_MAX = 256;
/** Faded outcomes below this weight are ignored. */
const FORGOTTEN = 0.001;
const GOOD = 0;
const BAD = 1;
/** Those of the bad ones that are nobody's own. */
const SHARED = 2;

/** The outcomes of a payer's calls, the older ones counting less. */
export interface Outcomes {
  readonly good: number;
  readonly bad: number;
}

/** Times are on the monotonic clock. */
export class SharedOutcomes {
  readonly #all = new FadingCounts(3, OUTCOMES_HALF_LIFE_MS);
  /** The payers that failed last stand at the end. */
  readonly #failing = new Set<PayerCircuit>();

  addGood(nowMs: number, own: PayerCircuit): void {
    own.outcomes.add(true, nowMs);
    this.#all.add(GOOD, nowMs);
  }

  addBad(nowMs: number, own: PayerCircuit): void {
    own.outcomes.add(false, nowMs);
    this.#all.add(BAD, nowMs);
    this.#failing.delete(own);
    this.#failing.add(own);
    const [first] = this.#failing;
    if (this.#failing.size > FAILING_MAX && first !== undefined) this.#failing.delete(first);
  }

  /** A failure that is nobody's own. */
  addShared(nowMs: number): void {
    this.#all.add(BAD, nowMs);
    this.#all.add(SHARED, nowMs);
  }

  /** Forgets a payer's outcomes: its earlier failures must not keep it away from what has recovered for it. */
  forgive(nowMs: number, own: PayerCircuit): void {
    this.#all.add(GOOD, nowMs, -own.outcomes.goodAt(nowMs));
    this.#all.add(BAD, nowMs, -own.outcomes.badAt(nowMs));
    own.outcomes.clear();
    this.#failing.delete(own);
  }

  forget(circuit: PayerCircuit): void {
    this.#failing.delete(circuit);
  }

  clear(): void {
    this.#all.clear();
    this.#failing.clear();
  }

  /** Returns all, without those of the side with the most failures. The reader's own count in any case. */
  countFor(nowMs: number, own: PayerCircuit | undefined): Outcomes {
    const sides = new Map<string, { good: number; bad: number }>();
    let worst = { good: 0, bad: 0 };
    for (const circuit of this.#failing) {
      const bad = circuit.outcomes.badAt(nowMs);
      if (bad < FORGOTTEN) this.#failing.delete(circuit);
      if (circuit === own) continue;
      const sum = sides.get(circuit.side) ?? { good: 0, bad: 0 };
      sum.good += circuit.outcomes.goodAt(nowMs);
      sum.bad += bad;
      sides.set(circuit.side, sum);
      if (sum.bad > worst.bad) worst = sum;
    }
    const { good, bad } = this.countAll(nowMs);
    return { good: Math.max(0, good - worst.good), bad: Math.max(0, bad - worst.bad) };
  }

  /** Returns the payer's own, with those that are nobody's own. */
  countOwn(nowMs: number, own: PayerCircuit | undefined): Outcomes {
    const shared = this.#all.at(SHARED, nowMs);
    if (own === undefined) return { good: 0, bad: shared };
    return { good: own.outcomes.goodAt(nowMs), bad: own.outcomes.badAt(nowMs) + shared };
  }

  countAll(nowMs: number): Outcomes {
    return { good: Math.max(0, this.#all.at(GOOD, nowMs)), bad: Math.max(0, this.#all.at(BAD, nowMs)) };
  }
}
