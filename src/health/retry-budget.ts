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

/** Attempts beyond the first: at most 20% of the requests and 10 more, over 10 seconds. */
export class RetryBudget {
  readonly #requests = new RecentCount();
  readonly #retries = new RecentCount();

  recordRequest(nowMs: number): void {
    this.#requests.add(nowMs);
  }

  /** Returns true and counts the attempt if one more is allowed. */
  spend(nowMs: number): boolean {
    if (this.#retries.sum(nowMs) + 1 > RETRIES_PER_REQUEST * this.#requests.sum(nowMs) + RETRIES_EXTRA)
      return false;
    this.#retries.add(nowMs);
    return true;
  }
}
