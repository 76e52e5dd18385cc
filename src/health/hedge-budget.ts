// The bound on second attempts at a model that is slow to answer: a share of each payer's requests.

/** The most that a payer can save up, so that an hour without any doesn't allow doubling every request. */
const SAVED_MAX = 10;
const ROUNDING = 1e-9;
/** Beyond this number, the payer that asked longest ago is forgotten. */
const PAYERS_MAX = 256;

/** A payer's second attempts are its own: another's slow requests never use them up. */
export class HedgeBudget {
  /** The second attempts saved up. The payers that asked last stand at the end. */
  readonly #saved = new Map<string, number>();

  /** Counts a request: each allows its payer `share` more second attempts. */
  recordRequest(payer: string, share: number): void {
    const saved = this.#saved.get(payer) ?? 0;
    this.#saved.delete(payer);
    this.#saved.set(payer, Math.min(saved + share, SAVED_MAX));
    const [oldest] = this.#saved.keys();
    if (this.#saved.size > PAYERS_MAX && oldest !== undefined) this.#saved.delete(oldest);
  }

  /** Returns true and counts a second attempt if the payer's requests allow one. */
  spend(payer: string): boolean {
    const saved = this.#saved.get(payer) ?? 0;
    if (saved < 1 - ROUNDING) return false;
    this.#saved.set(payer, saved - 1);
    return true;
  }
}
