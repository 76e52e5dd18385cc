// Gathers the attempts of a plan from models in their order, until there are as many as a request may make.
import type { Attempt } from "../../core/attempt.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Credential } from "../../core/settings.ts";
import type { Address } from "../../health/address.ts";
import type { Health } from "../../health/health.ts";

/** The most calls made for one request. Attempts that never connect don't count. */
export const CALLS_MAX = 4;
/** The most addresses in a plan. As long as one of them can be reached, the request is answered. */
export const ADDRESSES_MAX = 4;
/** A server counts its own tokens, so it may refuse a prompt that fits by the estimate. */
const OVERFLOW_FACTOR = 2;

export interface GatheringInput {
  readonly health: Health;
  readonly nowMs: number;
  readonly payer: string;
  readonly credentialsOf: (provider: string) => readonly Credential[];
  /** Estimates the prompt's tokens. Missing if nothing is known of them. */
  readonly promptTokens?: () => number;
}

export class Gathering {
  readonly every: Attempt[] = [];
  /** Those that are allowed now, by model. */
  readonly ready: (readonly Attempt[])[] = [];
  /** One of a model with a longer context than all others. Null if none is needed, or there is none. */
  longer: Attempt | null = null;
  readonly #input: GatheringInput;
  readonly #order: (attempts: readonly Attempt[]) => readonly Attempt[];
  readonly #met = new Set<Address | undefined>();
  readonly #addresses: number;
  #longest = 0;

  /** `order` returns the attempts on one model that are allowed now. */
  constructor(input: GatheringInput, order: (attempts: readonly Attempt[]) => readonly Attempt[]) {
    const { health, nowMs, payer } = input;
    this.#input = input;
    this.#order = order;
    this.#addresses = Math.min(ADDRESSES_MAX, health.addresses.countAvailable(nowMs, payer));
  }

  /** Returns false if no further model is needed. */
  add(card: ModelCard): boolean {
    const { health, credentialsOf } = this.#input;
    const address = health.addresses.find(card.provider);
    const context = card.contextTokensMax ?? Number.POSITIVE_INFINITY;
    const isLonger = this.#isFull() && context > this.#longest;
    if (this.#isFull() && this.#met.has(address) && !isLonger) return true;
    const attempts = credentialsOf(card.provider).map((credential): Attempt => ({ card, credential }));
    this.every.push(...attempts);
    const ready = this.#order(attempts);
    const [first] = ready;
    if (first === undefined) return true;
    this.ready.push(ready);
    this.#met.add(address);
    this.#longest = Math.max(this.#longest, context);
    if (isLonger) this.longer = first;
    return this.#needsMore();
  }

  #isFull(): boolean {
    return this.ready.length >= CALLS_MAX;
  }

  #needsMore(): boolean {
    if (!this.#isFull() || this.#met.size < this.#addresses) return true;
    return this.longer === null && this.#mayOverflow();
  }

  /** True if the prompt may turn out to be too long for all models so far. */
  #mayOverflow(): boolean {
    const { promptTokens } = this.#input;
    if (promptTokens === undefined || this.#longest === Number.POSITIVE_INFINITY) return false;
    return promptTokens() * OVERFLOW_FACTOR > this.#longest;
  }
}
