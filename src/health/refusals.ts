// Remembers for a while which orders and fields the servers of models have refused, beside those that the operator set.
import type { ModelCard } from "../core/models/card.ts";
import { isRefused, type Refusal } from "../core/models/refusals.ts";

/** A server's template may be changed. After this time it is asked in the client's own order again. */
const KEPT_MS = 3_600_000;
/** Clients may invent names of models. */
const CARDS_MAX = 2000;

/** Times are on the monotonic clock. */
export class LearnedRefusals {
  /** False until a server refuses something: then only the operator's words count. */
  isInUse = false;
  /** By the card's id: when each ends. The cards that learned last stand at the end. */
  readonly #learned = new Map<string, Map<Refusal, number>>();

  /** Returns everything that the model is known to refuse. Undefined if that is nothing. */
  list(card: ModelCard, nowMs: number): ReadonlySet<Refusal> | undefined {
    const learned = this.#learned.get(card.id);
    if (learned === undefined) return card.refuses;
    const all = new Set(card.refuses);
    for (const [refusal, untilMs] of learned)
      if (untilMs > nowMs && isRefused(card, refusal, true)) all.add(refusal);
    return all;
  }

  learn(card: ModelCard, refusals: readonly Refusal[], nowMs: number): void {
    this.isInUse = true;
    const known = this.#learned.get(card.id) ?? new Map<Refusal, number>();
    for (const refusal of refusals) known.set(refusal, nowMs + KEPT_MS);
    this.#learned.delete(card.id);
    this.#learned.set(card.id, known);
    const [oldest] = this.#learned.keys();
    if (this.#learned.size > CARDS_MAX && oldest !== undefined) this.#learned.delete(oldest);
  }
}
