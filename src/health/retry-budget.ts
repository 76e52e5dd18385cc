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
/** Beyond this number, the payer that is known longest is forgotten. */
const PAYERS_MAX = 256;

/** The recent requests and retries of one payer. */
class PayerCounts {
  readonly requests = new RecentCount();
  readonly retries = new RecentCount();
}

/**
 * Attempts beyond the first, over 10 seconds: at most 20% of a payer's requests and 10 more, and as many of all payers' together
 * without those of any one. So no payer spends another's.
 */
export class RetryBudget {
  readonly #payers = new Map<string, PayerCounts>();

  recordRequest(nowMs: number, payer: string): void {
    this.#find(payer).requests.add(nowMs);
  }

  /** Returns true and counts the attempt if the payer may make one more. */
  spend(nowMs: number, payer: string): boolean {
    const own = this.#find(payer);
    if (countLeft(own.requests.sum(nowMs), own.retries.sum(nowMs)) < 1) return false;
    if (!this.#hasLeft(nowMs, payer)) return false;
    own.retries.add(nowMs);
    return true;
  }

  /** True if one more is within everybody's numbers once one of the payers is left out. */
  #hasLeft(nowMs: number, payer: string): boolean {
    const counts = [...this.#payers].map(([name, { requests, retries }]) => ({
      requests: requests.sum(nowMs),
      retries: retries.sum(nowMs),
      added: name === payer ? 1 : 0,
    }));
    const requests = counts.reduce((sum, one) => sum + one.requests, 0);
    const retries = counts.reduce((sum, one) => sum + one.retries, 0);
    return counts.some((one) => countLeft(requests - one.requests, retries - one.retries) >= 1 - one.added);
  }

  #find(payer: string): PayerCounts {
    return this.#payers.get(payer) ?? this.#make(payer);
  }

  #make(payer: string): PayerCounts {
    const made = new PayerCounts();
    const [oldest] = this.#payers.size < PAYERS_MAX ? [] : this.#payers.keys();
    if (oldest !== undefined) this.#payers.delete(oldest);
    this.#payers.set(payer, made);
    return made;
  }
}

function countLeft(requests: number, retries: number): number {
  return RETRIES_PER_REQUEST * requests + RETRIES_EXTRA - retries;
}
