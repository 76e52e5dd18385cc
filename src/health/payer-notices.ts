// The log lines about payers whose own requests opened a breaker: at most one a minute for each.

const EVERY_MS = 60_000;
const PAYERS_MAX = 1000;

/** Times are on the monotonic clock. */
export class PayerNotices {
  readonly #toldMs = new Map<string, number>();

  /** True if the payer has had none within a minute. Counts it. */
  take(payer: string, nowMs: number): boolean {
    if (nowMs - (this.#toldMs.get(payer) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return false;
    this.#toldMs.delete(payer);
    this.#toldMs.set(payer, nowMs);
    const [oldest] = this.#toldMs.keys();
    if (this.#toldMs.size > PAYERS_MAX && oldest !== undefined) this.#toldMs.delete(oldest);
    return true;
  }
}
