// The last outcomes of a breaker's calls, read as if one of those who call had never called.
import { type CircuitTerms, HALF_LIFE_MS, isBurst } from "./circuit.ts";

const RING_SIZE = 64;
/** An outcome in the ring: good, or bad by one of the two kinds of evidence. */
export const WORKED = 0;
export const CALLER = 1;
export const SHARED = 2;
/** One that counts no longer. */
const OVER = 3;

/** Times are on the monotonic clock. */
export class OutcomeRing {
  readonly #sides: string[] = [];
  readonly #kinds = new Uint8Array(RING_SIZE);
  readonly #times = new Float64Array(RING_SIZE);
  /** The place of the next one. */
  #next = 0;

  /** `side` names those who are left out together. */
  add(nowMs: number, side: string, kind: number): void {
    this.#sides[this.#next] = side;
    this.#kinds[this.#next] = kind;
    this.#times[this.#next] = nowMs;
    this.#next = (this.#next + 1) % RING_SIZE;
  }

  clear(): void {
    this.#sides.length = 0;
    this.#next = 0;
  }

  /** Forgets failures that no request had caused: a call that tested whether they are over has succeeded. */
  forgetShared(): void {
    for (const [at, kind] of this.#kinds.entries()) if (kind === SHARED) this.#kinds[at] = OVER;
  }

  /** True if the numbers are reached with any one side left out. */
  isBurst(nowMs: number, terms: CircuitTerms): boolean {
    const failures = new Map<string, number>();
    let shared = 0;
    for (const [at, side] of this.#sides.entries()) {
      if (this.#kinds[at] === CALLER) failures.set(side, (failures.get(side) ?? 0) + 1);
      else if (this.#kinds[at] === SHARED) shared++;
    }
    const counts = [...failures.values()];
    const most = Math.max(0, ...counts);
    // Nearly always, nobody else's are enough.
    if (shared + counts.reduce((sum, count) => sum + count, 0) - most < terms.inRowMax) return false;
    return failures.size === 0
      ? this.#isBurstWithout(null, nowMs, terms)
      : [...failures.keys()].every((side) => this.#isBurstWithout(side, nowMs, terms));
  }

  #isBurstWithout(leftOut: string | null, nowMs: number, terms: CircuitTerms): boolean {
    let row = 0;
    let isRow = true;
    let good = 0;
    let bad = 0;
    const count = this.#sides.length;
    for (let back = 1; back <= count; back++) {
      const at = (this.#next - back + RING_SIZE) % RING_SIZE;
      const kind = this.#kinds[at];
      if (kind === OVER || (kind !== SHARED && this.#sides[at] === leftOut)) continue;
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
