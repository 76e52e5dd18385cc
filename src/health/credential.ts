// One credential of a provider: whether the provider takes it, and what is under way with it.
import type { ModelCard } from "../core/card.ts";
import type { Credential } from "../core/settings.ts";
import { Breaker, type BreakerTerms } from "./breaker.ts";
import type { Deployment } from "./deployment.ts";

const FORBIDDEN = 403;
/** Of a shorter secret, four characters would tell too much. */
const SHOWN_CHARACTERS_MIN = 12;
/** A purse is filled and a lock lifted within minutes or not for days: one refused call in each of these times costs little. */
const OF_REFUSALS: BreakerTerms = {
  inRowMax: 1,
  waitMs: 60_000,
  waitMaxMs: 3_600_000,
  relapseMs: 3_600_000,
};

/**
 * One request retires one credential at most: if several refuse it in a row, the reason may be in the request, as with a
 * prompt that a filter answers with 403 or that a small purse can't pay.
 */
export class RetirementBudget {
  #isSpent = false;

  /** True once. */
  take(): boolean {
    const isFree = !this.#isSpent;
    this.#isSpent = true;
    return isFree;
  }
}

export class Key {
  readonly last4: string | null;
  inFlight = 0;
  /** The time and the reason of the provider's refusal; null: it hasn't refused it. */
  retired: { readonly atMs: number; readonly reason: string } | null = null;
  readonly #refusal = new Breaker(OF_REFUSALS);
  /** Of the models that refused it: it serves others. */
  readonly #refusalsBy = new WeakMap<Deployment, Breaker>();
  /** The model that it served last. */
  #served: string | null = null;

  constructor({ secret }: Credential) {
    this.last4 = secret !== null && secret.length >= SHOWN_CHARACTERS_MIN ? secret.slice(-4) : null;
  }

  /** True if it is known to be refused, for this model or for all. */
  isRefused(deployment: Deployment | undefined): boolean {
    return this.#refusals(deployment).length > 0;
  }

  /** True when it may be asked again, by one request. */
  isDue(deployment: Deployment | undefined, nowMs: number): boolean {
    return this.#refusals(deployment).every((refusal) => refusal.waitMs(nowMs) === 0);
  }

  /** Milliseconds until it is asked again where there are other credentials; 0: now. */
  waitMs(nowMs: number): number {
    return this.#refusal.waitMs(nowMs) ?? 0;
  }

  /** True when this call asks whether it is still refused: its outcome must be told. */
  pass(deployment: Deployment, nowMs: number): boolean {
    const refusals = this.#refusals(deployment);
    if (refusals.length === 0 || !this.isDue(deployment, nowMs)) return false;
    for (const refusal of refusals) refusal.pass(nowMs);
    return true;
  }

  /** The provider took it. True when it had been retired. */
  works(card: ModelCard, deployment: Deployment, nowMs: number): boolean {
    this.#served = card.id;
    for (const refusal of this.#refusals(deployment)) refusal.succeeded(nowMs, true);
    const wasRetired = this.retired !== null;
    this.retired = null;
    return wasRetired;
  }

  /** The provider refused it. True when that retires it: one that serves another model may only be forbidden this one. */
  refused(
    card: ModelCard,
    deployment: Deployment,
    nowMs: number,
    status: number | null,
    isProbe: boolean,
  ): boolean {
    const byLane = this.#refusalsBy.get(deployment) ?? new Breaker(OF_REFUSALS);
    this.#refusalsBy.set(deployment, byLane);
    byLane.failed(nowMs, isProbe);
    if (status === FORBIDDEN && this.#served !== null && this.#served !== card.id) return false;
    this.#refusal.failed(nowMs, isProbe);
    const isNew = this.retired === null;
    this.retired = { atMs: nowMs, reason: explainStatus(status) };
    return isNew;
  }

  /** The call that asked ended without telling anything: the next one may ask. */
  released(deployment: Deployment): void {
    for (const refusal of this.#refusals(deployment)) refusal.released();
  }

  #refusals(deployment: Deployment | undefined): readonly Breaker[] {
    if (this.retired === null && deployment === undefined) return NONE;
    const byLane = deployment && this.#refusalsBy.get(deployment);
    const open = byLane?.isOpen === true ? [byLane] : NONE;
    return this.retired === null ? open : [this.#refusal, ...open];
  }
}

const NONE: readonly Breaker[] = [];

function explainStatus(status: number | null): string {
  if (status === 401) return "the provider says that the key is not valid (401)";
  if (status === FORBIDDEN) return "the provider says that the key is not permitted (403)";
  return `the provider says that the key's credit or quota is used up (${status ?? "no status"})`;
}
