// The savings of the cache marks that the gateway sets, by key and model: tokens read back against tokens written.
import type { ModelCard } from "../core/models/card.ts";
import { findRates } from "../core/money/price.ts";
import type { Amounts } from "../core/money/units.ts";

/** The last requests of a key to a model that are looked at, and those of all keys. */
const KEY_REQUESTS = 50;
const CARD_REQUESTS = 200;
/** The time without marks after they have cost more than they saved. */
const REST_MS = 3_600_000;
/** Beyond this number the one that was looked at least recently is forgotten. */
const PAIRS_MAX = 10_000;

/** The last savings in a row. A negative one is what a request's marks cost. */
class LastSavings {
  readonly #last: Float64Array;
  #count = 0;
  restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(requests: number) {
    this.#last = new Float64Array(requests);
  }

  /** Adds a request's, and rests once the last ones together have cost more than they saved. */
  add(saved: number, nowMs: number): void {
    const requests = this.#last.length;
    this.#last[this.#count++ % requests] = saved;
    if (this.#count < requests || this.#last.reduce((sum, one) => sum + one, 0) >= 0) return;
    this.#count = 0;
    this.restsUntilMs = nowMs + REST_MS;
  }
}

/** Times are on the monotonic clock. */
export class MarkSavings {
  readonly #pairs = new Map<string, LastSavings>();
  readonly #cards = new Map<string, LastSavings>();

  /** Counts an answered request that the gateway had marked, by the card's prices. */
  record(keyId: string, { id, price }: ModelCard, amounts: Amounts, nowMs: number): void {
    if (price === null) return;
    const {
      input,
      cachedInput = input,
      cacheWrite = input,
      cacheWrite1h = cacheWrite,
    } = findRates(price, amounts.prompt);
    const forMinutes = amounts.cacheWrite - amounts.cacheWrite1h;
    const cost = forMinutes * (cacheWrite - input) + amounts.cacheWrite1h * (cacheWrite1h - input);
    const saved = amounts.cached * (input - cachedInput) - cost;
    renew(this.#pairs, `${keyId} ${id}`, KEY_REQUESTS).add(saved, nowMs);
    renew(this.#cards, id, CARD_REQUESTS).add(saved, nowMs);
  }

  /** True if marks didn't pay within the last hour, for the key or for all keys together. */
  isResting(keyId: string, { id }: ModelCard, nowMs: number): boolean {
    const isWaiting = (one: LastSavings | undefined) => one !== undefined && one.restsUntilMs > nowMs;
    return isWaiting(this.#cards.get(id)) || isWaiting(this.#pairs.get(`${keyId} ${id}`));
  }
}

/** Returns the savings by a name, as the last of the map. */
function renew(known: Map<string, LastSavings>, name: string, requests: number): LastSavings {
  const savings = known.get(name) ?? new LastSavings(requests);
  known.delete(name);
  known.set(name, savings);
  const [oldest] = known.keys();
  if (known.size > PAIRS_MAX && oldest !== undefined) known.delete(oldest);
  return savings;
}
