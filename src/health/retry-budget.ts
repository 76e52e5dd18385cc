// The bound on retries. Without one, retries multiply the load just when everything is failing.

const SLICES = 20;
const SLICE_MS = 500;

/** The counts of the last 10 seconds, in slices of half a second. */
class RecentCount {
  readonly #counts = new Float64Array(SLICES);
  #slice = 0;

  add(nowMs: number): void {
    const at = this.#advance(nowMs) % SLICES;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  sum(nowMs: number): number {
    this.#advance(nowMs);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  #advance(nowMs: number): number {
    const slice = Math.floor(nowMs / SLICE_MS);
    const passed = Math.min(SLICES, slice - this.#slice);
    for (let back = 0; back < passed; back++) this.#counts[(slice - back) % SLICES] = 0;
    this.#slice = Math.max(slice, this.#slice);
    return this.#slice;
  }
}

const RETRIES_PER_REQUEST = 0.2;
const RETRIES_EXTRA = 10;
/** Beyond this number, the one that was counted first is forgotten. */
const PAYERS_MAX = 256;

class PayerCounts {
  readonly requests = new RecentCount();
  readonly retries = new RecentCount();
}

/**
 * Attempts beyond the first at one provider, over 10 seconds: at most 20% of a payer's requests and 10 more, and as many of all
 * payers' together, in which the retries of the payer with the most don't count. So nobody uses up another's.
 */
export class RetryBudget {
  readonly #payers = new Map<string, PayerCounts>();

  recordRequest(nowMs: number, payer: string): void {
    this.#find(payer).requests.add(nowMs);
  }

  /** Returns true and counts the attempt if the payer may make one more. */
  spend(nowMs: number, payer: string): boolean {
    const own = this.#find(payer);
    if (!isWithin(own.retries.sum(nowMs) + 1, own.requests.sum(nowMs)) || !this.#allows(nowMs)) return false;
    own.retries.add(nowMs);
    return true;
  }

  #allows(nowMs: number): boolean {
    let requests = 0;
    let retries = 0;
    let most = 0;
    for (const counts of this.#payers.values()) {
      const retried = counts.retries.sum(nowMs);
      requests += counts.requests.sum(nowMs);
      retries += retried;
      most = Math.max(most, retried);
    }
    return isWithin(retries - most, requests);
  }

  #find(payer: string): PayerCounts {
    const known = this.#payers.get(payer);
    if (known !== undefined) return known;
    const made = new PayerCounts();
    const [first] = this.#payers.keys();
    if (this.#payers.size >= PAYERS_MAX && first !== undefined) this.#payers.delete(first);
    this.#payers.set(payer, made);
    return made;
  }
}

function isWithin(retries: number, requests: number): boolean {
  return retries <= RETRIES_PER_REQUEST * requests + RETRIES_EXTRA;
}
