// The health of every model by every credential: who may be asked now, and the outcome of each attempt.

import type { Attempt } from "../core/attempt.ts";
import type { ModelCard } from "../core/card.ts";
import { Fault } from "../core/fault.ts";
import type { Credential, ProviderSetup } from "../core/settings.ts";
import type { Log } from "../core/world.ts";
import { type Address, Addresses } from "./address.ts";
import { Key, RetirementBudget } from "./credential.ts";
import { type FadingValues, type Median, medianOf, quantilesOf } from "./decay.ts";
import { Deployment, SPEED_HALF_LIFE_MS } from "./deployment.ts";
import { Permit } from "./permit.ts";
import { RetryBudget } from "./retry-budget.ts";

/** Beyond so many models the one that was asked longest ago is forgotten: clients may make up names. */
const CARDS_MAX = 2000;
/** The most second attempts that are saved up: an hour without any is no licence to double everything. */
const HEDGES_SAVED_MAX = 10;
const ROUNDING = 1e-9;
/** While a probe is out, this is how long another request is told to wait. */
const PROBE_MS = 1000;

/** The speed of a model. */
export interface Medians {
  readonly firstTokenMs: Median | null;
  readonly tokensPerSecond: Median | null;
  /** As of so many measurements. */
  readonly measured: number;
}

/** The facts about one model. */
export class CardHealth {
  /** By the credential's secret. */
  readonly deployments = new Map<string, Deployment>();
  #hedges = 0;
  #medians: Medians | null = null;

  /** Each request earns its share of a second attempt. */
  asked(hedgeShare: number): void {
    this.#hedges = Math.min(this.#hedges + hedgeShare, HEDGES_SAVED_MAX);
  }

  /** True if a second attempt beside the first is within the share of the requests; it is spent then. */
  takeHedge(): boolean {
    if (this.#hedges < 1 - ROUNDING) return false;
    this.#hedges--;
    return true;
  }

  /** Over all credentials, kept until one is measured again: `light` reads those of thousands of models at each request. */
  medians(nowMs: number): Medians {
    let measured = this.deployments.size;
    for (const deployment of this.deployments.values()) measured += deployment.measured;
    if (this.#medians?.measured === measured) return this.#medians;
    const deployments = [...this.deployments.values()];
    const over = (values: readonly FadingValues[]) => medianOf(values, SPEED_HALF_LIFE_MS, nowMs);
    const firstTokenMs = over(deployments.map(({ firstMs }) => firstMs));
    const tokensPerSecond = over(deployments.map((deployment) => deployment.tokensPerSecond));
    this.#medians = { measured, firstTokenMs, tokensPerSecond };
    return this.#medians;
  }

  /** Nothing is held against it by any credential. Thousands of models are asked this at each request: no list is made. */
  isWell(nowMs: number): boolean {
    for (const deployment of this.deployments.values()) if (!deployment.isWell(nowMs)) return false;
    return true;
  }

  /** The credential is no longer, or what is known of it says nothing now. */
  forget(secret: string): void {
    this.deployments.delete(secret);
    this.#medians = null;
  }

  /** The time within which this share of the recent answers began (streamed) or came whole; null: nothing is known. */
  answersWithin(share: number, streamed: boolean, nowMs: number): number | null {
    const values = [...this.deployments.values()].map((deployment) =>
      streamed ? deployment.firstMs : deployment.wholeMs,
    );
    return quantilesOf(values, [share], nowMs)?.[0] ?? null;
  }
}

/** Times are on the monotonic clock. */
export class Health {
  readonly #log: Log;
  readonly #cards = new Map<string, CardHealth>();
  #keys: ReadonlyMap<string, ReadonlyMap<string, Key>> = new Map();
  readonly #budgets = new Map<string, RetryBudget>();
  readonly #addresses = new Addresses();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Another configuration is in force: what was refused under the last one may be taken now. */
  configured(providers: readonly ProviderSetup[]): void {
    this.#addresses.configured(providers);
    this.#keys = new Map(
      providers.map(({ name, credentials }) => [
        name,
        new Map(credentials.map((credential) => [secretOf(credential), new Key(credential)])),
      ]),
    );
    for (const [id, card] of this.#cards) {
      const own = this.#keys.get(id.slice(0, id.indexOf("#")));
      for (const [secret, { lastFault }] of card.deployments) {
        if (!own?.has(secret) || lastFault?.code === "upstream_auth") card.forget(secret);
      }
    }
  }

  /** A request that asks this model first. */
  asked({ id, provider, hedge }: ModelCard, nowMs: number): void {
    this.#card(id).asked(hedge?.shareMax ?? 0);
    this.#budget(provider).asked(nowMs);
  }

  /** True if one more attempt is granted to a request that asked this provider first. */
  mayRetry(provider: string, nowMs: number): boolean {
    return this.#budget(provider).take(nowMs);
  }

  card(id: string): CardHealth | undefined {
    return this.#cards.get(id);
  }

  cards(): Iterable<readonly [string, CardHealth]> {
    return this.#cards;
  }

  deployment({ card, credential }: Attempt): Deployment | undefined {
    return this.#cards.get(card.id)?.deployments.get(secretOf(credential));
  }

  key({ card, credential }: Attempt): Key | undefined {
    return this.keyOf(card.provider, credential);
  }

  keyOf(provider: string, credential: Credential): Key | undefined {
    return this.#keys.get(provider)?.get(secretOf(credential));
  }

  /** The provider doesn't take this credential, for this model or for any. */
  isRefused(attempt: Attempt): boolean {
    return this.key(attempt)?.isRefused(this.deployment(attempt)) ?? false;
  }

  /** The provider's address; undefined: it is not on. */
  address(provider: string): Address | undefined {
    return this.#addresses.of(provider);
  }

  /** The number of addresses that may be called now. */
  addressesAsked(nowMs: number): number {
    return this.#addresses.asked(nowMs);
  }

  /** Connections to the provider have not been coming about, and it is not due to be tried again. */
  isShut(provider: string, nowMs: number): boolean {
    return this.address(provider)?.isAsked(nowMs) === false;
  }

  isAnyShut(nowMs: number): boolean {
    return this.#addresses.isAnyShut(nowMs);
  }

  /** Refused and not due to be tried again, while another credential of the provider is not refused: it isn't asked at all. */
  isBarred(attempt: Attempt, nowMs: number): boolean {
    const deployment = this.deployment(attempt);
    const own = this.key(attempt);
    if (!own?.isRefused(deployment) || own.isDue(deployment, nowMs)) return false;
    for (const [secret, key] of this.#keys.get(attempt.card.provider) ?? []) {
      if (!key.isRefused(this.#cards.get(attempt.card.id)?.deployments.get(secret))) return true;
    }
    return false;
  }

  /** True if it may be asked now. */
  isReady(attempt: Attempt, nowMs: number): boolean {
    const deployment = this.deployment(attempt);
    if (this.isShut(attempt.card.provider, nowMs) || this.isBarred(attempt, nowMs)) return false;
    return !deployment || deployment.waitMs(nowMs) === 0;
  }

  /** Begins an attempt of a request, whose outcome must be told; null when it may not be asked now. */
  begin(attempt: Attempt, nowMs: number, retirements = new RetirementBudget()): Permit | null {
    const { card } = attempt;
    if (this.isShut(card.provider, nowMs)) return null;
    if (this.isBarred(attempt, nowMs)) return null;
    const deployment = this.#deploymentOf(attempt);
    if (deployment.isResting(nowMs)) return null;
    const passes = deployment.breaker.pass(nowMs);
    if (passes === null) return null;
    const key = this.key(attempt) ?? new Key(attempt.credential);
    const address = this.address(card.provider);
    const probes = {
      isProbe: passes === "probe",
      isKeyProbe: key.pass(deployment, nowMs),
      isAddressProbe: address?.breaker.pass(nowMs) === "probe",
    };
    return new Permit({
      card,
      deployment,
      key,
      address,
      retirements,
      ...probes,
      startedMs: nowMs,
      log: this.#log,
    });
  }

  /** The fault that says why none of these may be asked now, and when one may. */
  unavailable(attempts: readonly Attempt[], nowMs: number): Fault {
    const asked = attempts.filter((attempt) => !this.isBarred(attempt, nowMs));
    const waiting = asked.map((attempt) => this.deployment(attempt));
    const waits = asked.map((attempt) => this.waitMs(attempt, nowMs) ?? PROBE_MS);
    const details = { retryAfterMs: Math.max(1, Math.min(...waits, MINUTE_MS)) };
    if (waiting.some((deployment) => deployment?.isResting(nowMs))) {
      return new Fault("provider_busy", "The provider is refusing requests for load.", details);
    }
    if (
      waiting.length > 0 &&
      waiting.every((deployment) => deployment?.lastFault?.code === "upstream_auth")
    ) {
      return new Fault("upstream_auth", "The provider refused the gateway's own credential or quota.");
    }
    return new Fault("no_provider_available", "The model's provider has been failing.", details);
  }

  /** Milliseconds until it may be asked; null: not known. */
  waitMs(attempt: Attempt, nowMs: number): number | null {
    const address = this.address(attempt.card.provider);
    const addressMs = address ? address.breaker.waitMs(nowMs) : 0;
    const deployment = this.deployment(attempt);
    const laneMs = deployment ? deployment.waitMs(nowMs) : 0;
    return addressMs === null || laneMs === null ? null : Math.max(addressMs, laneMs);
  }

  #deploymentOf({ card, credential }: Attempt): Deployment {
    const { deployments } = this.#card(card.id);
    const secret = secretOf(credential);
    const deployment = deployments.get(secret) ?? new Deployment();
    deployments.set(secret, deployment);
    return deployment;
  }

  #card(id: string): CardHealth {
    const card = this.#cards.get(id) ?? new CardHealth();
    this.#cards.delete(id);
    this.#cards.set(id, card);
    const [oldest] = this.#cards.keys();
    if (this.#cards.size > CARDS_MAX && oldest !== undefined) this.#cards.delete(oldest);
    return card;
  }

  #budget(provider: string): RetryBudget {
    const budget = this.#budgets.get(provider) ?? new RetryBudget();
    this.#budgets.set(provider, budget);
    return budget;
  }
}

const MINUTE_MS = 60_000;

function secretOf({ secret }: Credential): string {
  return secret ?? "";
}
