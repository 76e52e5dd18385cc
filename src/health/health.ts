// The health of every model with every credential: which may be called now, and the outcome of each attempt.

import type { Attempt } from "../core/attempt.ts";
import { Fault } from "../core/faults/fault.ts";
import { NOBODY } from "../core/keys/payer.ts";
import { type ModelCard, readProvider } from "../core/models/card.ts";
import { type Credential, identifyCredential, type ProviderSetup } from "../core/settings.ts";
import { CardMap } from "../core/world/card-map.ts";
import type { Log } from "../core/world/world.ts";
import { Absence } from "./absence.ts";
import { Addresses } from "./address.ts";
import type { RequestRefusals } from "./credential.ts";
import { Key, type KeyProver } from "./credential.ts";
import { Deployment, describeFailing } from "./deployment.ts";
import { HedgeBudget } from "./hedge-budget.ts";
import { DeploymentPace } from "./line-pace.ts";
import { ComingCalls } from "./order/coming-calls.ts";
import { Outlooks } from "./outlooks.ts";
import { PayerNotices } from "./payer-notices.ts";
import { Permit } from "./permit.ts";
import { findLimitKinds, LEAST_LOAD, type LimitKinds, type Load, ONE_CALL } from "./rate.ts";
import { LearnedRefusals } from "./refusals.ts";
import { RefusedFields } from "./refused-fields.ts";
import { RetryBudget } from "./retry-budget.ts";
import { computeLeastQuantile, type Outlook } from "./speed.ts";
import { Trouble } from "./trouble.ts";

/** Beyond this number of models the least recently used one is dropped, because clients may invent names. */
const CARDS_MAX = 2000;
/** The wait reported to other requests while a probe is running. */
const PROBE_MS = 1000;

/** The facts about one model. */
class CardHealth {
  /** By the credential's secret. */
  readonly deployments = new Map<string, Deployment>();
  readonly absence = new Absence();
  /** Null if it isn't hedged. */
  #hedges: HedgeBudget | null = null;
  readonly #outlooks = new Outlooks(this.deployments);

  /** Counts a payer's request, of which this share may have a second attempt. */
  countRequest(payer: string, hedgeShare: number): void {
    this.#hedges ??= new HedgeBudget();
    this.#hedges.recordRequest(payer, hedgeShare);
  }

  /** Returns true and counts a second attempt if the share of the payer's requests allows one. */
  takeHedge(payer: string): boolean {
    return this.#hedges?.spend(payer) ?? false;
  }

  /** Its likely speed and failures, as far as a payer's choice rests on them. */
  outlook(nowMs: number, payer: string): Outlook {
    return this.#outlooks.read(nowMs, payer);
  }

  readonly changed = (): void => this.#outlooks.clear();

  /** Returns the deployment with a credential, by its secret. */
  deploy(secret: string): Deployment {
    const known = this.deployments.get(secret);
    if (known !== undefined) return known;
    const made = new Deployment();
    this.deployments.set(secret, made);
    return made;
  }

  /** Drops the figures of a credential that is gone, or whose failures may no longer hold. */
  forget(secret: string): void {
    this.deployments.delete(secret);
    this.changed();
  }

  /** The time within which this share of the recent answers began (streamed) or arrived whole, for a payer. Null if unknown. */
  computeAnswerMs(share: number, streamed: boolean, nowMs: number, payer: string): number | null {
    return computeLeastQuantile([...this.deployments.values()], share, streamed, nowMs, payer);
  }
}

const makeBudget = () => new RetryBudget();

/** Times are on the monotonic clock. */
export class Health {
  readonly #log: Log;
  readonly #cards = new CardMap<CardHealth>();
  /** The id of the card that was used last, which is the last of the map. */
  #newest = "";
  #keys: ReadonlyMap<string, ReadonlyMap<string, Key>> = new Map();
  readonly #budgets = new Map<string, RetryBudget>();
  /** By provider. */
  #troubles: ReadonlyMap<string, Trouble> = new Map();
  readonly addresses = new Addresses();
  readonly coming = new ComingCalls();
  readonly refusals = new LearnedRefusals();
  readonly refusedFields = new RefusedFields();
  readonly #notices = new PayerNotices();
  ownLimits: LimitKinds = findLimitKinds([]);
  /** Null if no provider can be asked about its credentials. */
  prover: KeyProver | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Applies a new configuration. A credential that was refused under the last one may be accepted now. */
  configured(providers: readonly ProviderSetup[]): void {
    this.addresses.configure(providers);
    this.refusals.configured(providers);
    const before = this.#keys;
    const renew = (name: string, credential: Credential) => {
      const secret = identifyCredential(credential);
      const prove = () => this.prover?.suspect(name, credential);
      return [secret, new Key(credential, before.get(name)?.get(secret), prove)] as const;
    };
    this.#keys = new Map(
      providers.map(({ name, credentials }) => [name, new Map(credentials.map((one) => renew(name, one)))]),
    );
    this.#troubles = new Map(providers.map(({ name }) => [name, this.trouble(name)]));
    this.ownLimits = findLimitKinds(providers.flatMap(({ credentials }) => credentials));
    for (const [id, card] of this.#cards) {
      const own = this.#keys.get(readProvider(id));
      for (const [secret, { lastFault }] of card.deployments) {
        if (!own?.has(secret) || lastFault?.code === "upstream_auth") card.forget(secret);
      }
    }
  }

  /** The provider has refused a credential's list of models with this status, which no request can have caused. */
  recordProof(provider: string, credential: Credential, nowMs: number, status: number): void {
    const key = this.findKey(provider, credential);
    if (!key?.recordProof(nowMs, status)) return;
    const said = { upstream_status: status, upstream_code: null, message: null };
    const named = { provider, model: null, credential: key.last4 };
    this.#log({ event: "credential_retired", level: "error", ...named, ...said });
  }

  /** Counts a payer's request that calls this model first. */
  countRequest({ id, provider, hedge }: ModelCard, nowMs: number, payer: string): void {
    const card = this.#card(id);
    if (hedge !== undefined) card.countRequest(payer, hedge.shareMax);
    this.#budget(provider).recordRequest(nowMs, payer);
  }

  /** Counts a payer's request that went on to this provider after another one had failed. */
  countStep(provider: string, nowMs: number, payer: string): void {
    this.#budget(provider).recordRequest(nowMs, payer);
  }

  /** True if the provider doesn't have the model, so that only those who name it should ask for it. */
  isGone(cardId: string, nowMs: number): boolean {
    return this.#cards.get(cardId)?.absence.isGone(nowMs) ?? false;
  }

  /** True if a payer's request that has called this provider may call it once more. */
  mayRetry(provider: string, nowMs: number, payer: string): boolean {
    return this.#budget(provider).spend(nowMs, payer);
  }

  card(id: string): CardHealth | undefined {
    return this.#cards.get(id);
  }

  cards(): Pick<CardMap<CardHealth>, "listBy" | typeof Symbol.iterator> {
    return this.#cards;
  }

  deployment({ card, credential }: Attempt): Deployment | undefined {
    return this.#cards.get(card.id)?.deployments.get(identifyCredential(credential));
  }

  key({ card, credential }: Attempt): Key | undefined {
    return this.findKey(card.provider, credential);
  }

  findKey(provider: string, credential: Credential): Key | undefined {
    return this.#keys.get(provider)?.get(identifyCredential(credential));
  }

  /** Returns the provider's failures; one that isn't configured has none. */
  trouble(provider: string): Trouble {
    return this.#troubles.get(provider) ?? new Trouble();
  }

  /** True if the provider doesn't accept this credential from the payer, for this model or for any. */
  isRefused(attempt: Attempt, nowMs: number, payer: string): boolean {
    return this.key(attempt)?.isRefused(this.deployment(attempt), nowMs, payer) ?? false;
  }

  /** True if connections to the provider have been failing and it is too early for a payer to try again. */
  isShut(provider: string, nowMs: number, payer: string): boolean {
    const address = this.addresses.find(provider);
    return address !== undefined && address.waitMs(nowMs, payer) !== 0;
  }

  /** True if the credential is refused to the payer, too early to try again, and another of the provider's isn't refused. */
  isBarred(attempt: Attempt, nowMs: number, payer: string): boolean {
    const deployment = this.deployment(attempt);
    const own = this.key(attempt);
    if (!own?.isRefused(deployment, nowMs, payer) || own.isDue(deployment, nowMs, payer)) return false;
    for (const [secret, key] of this.#keys.get(attempt.card.provider) ?? []) {
      if (!key.isRefused(this.#cards.get(attempt.card.id)?.deployments.get(secret), nowMs, payer))
        return true;
    }
    return false;
  }

  /** True if the attempt may be made now, or in a moment, and is within the credential's limits. */
  isReady(attempt: Attempt, nowMs: number, payer: string, load = ONE_CALL): boolean {
    const deployment = this.deployment(attempt);
    if (this.isShut(attempt.card.provider, nowMs, payer) || this.isBarred(attempt, nowMs, payer))
      return false;
    if (this.#limitMs(attempt, nowMs, load) > 0) return false;
    if (!deployment) return true;
    if (load.insists) return !deployment.isResting(nowMs);
    return deployment.waitMs(nowMs, payer) === 0 || (!load.isLine && this.lacksPlace(attempt, nowMs, payer));
  }

  /** True if only other calls that are out keep the attempt away, while the model fails for everybody: it may wait a moment. */
  lacksPlace(attempt: Attempt, nowMs: number, payer: string): boolean {
    const deployment = this.deployment(attempt);
    return deployment?.isResting(nowMs) === false && deployment.breaker.lacksPlace(nowMs, payer);
  }

  /** Begins an attempt, whose outcome must be recorded. Null if the deployment may not be called now. */
  begin(
    attempt: Attempt,
    nowMs: number,
    refusals: RequestRefusals | null = null,
    load = ONE_CALL,
  ): Permit | null {
    const { card } = attempt;
    const payer = refusals?.payer ?? NOBODY;
    if (this.isShut(card.provider, nowMs, payer) || this.isBarred(attempt, nowMs, payer)) return null;
    const own = this.#card(card.id);
    const { absence, changed } = own;
    const deployment = own.deploy(identifyCredential(attempt.credential));
    changed();
    if (deployment.isResting(nowMs) || this.#limitMs(attempt, nowMs, load) > 0) return null;
    const passage = deployment.breaker.pass(nowMs, payer) ?? (load.insists ? "free" : null);
    if (passage === null) return null;
    if (!absence.isUnknown) absence.recordCall(nowMs);
    const key = this.key(attempt) ?? new Key(attempt.credential);
    const address = this.addresses.find(card.provider);
    return new Permit({
      card,
      deployment,
      speeds: deployment.speedsBy.begin(payer, nowMs),
      key,
      address,
      trouble: this.trouble(card.provider),
      absence,
      refusals,
      load,
      startedMs: nowMs,
      log: this.#log,
      notices: this.#notices,
      changed,
      passage,
      keyProbes: key.pass(deployment, nowMs, payer),
      addressPassage: address?.pass(nowMs, payer) ?? "free",
    });
  }

  /** Returns the pace of lines at a model with a credential. */
  findPace({ card, credential }: Attempt): DeploymentPace {
    const deployment = this.#card(card.id).deploy(identifyCredential(credential));
    const pace = deployment.lines ?? new DeploymentPace(deployment);
    deployment.lines = pace;
    pace.limits = this.findKey(card.provider, credential)?.limits ?? null;
    return pace;
  }

  /** Returns the fault for a request that can't make any attempt now, with the time after which it can. */
  unavailable(attempts: readonly Attempt[], nowMs: number, payer: string, load = ONE_CALL): Fault {
    const asked = attempts.filter((attempt) => !this.isBarred(attempt, nowMs, payer));
    const waiting = asked.map((attempt) => this.deployment(attempt));
    const waits = asked.map((attempt) => this.waitMs(attempt, nowMs, payer, load) ?? PROBE_MS);
    const details = { retryAfterMs: Math.max(1, Math.min(...waits, MINUTE_MS)) };
    if (waiting.some((deployment) => deployment?.isResting(nowMs))) {
      return new Fault("provider_busy", "The provider is overloaded or limiting requests.", details);
    }
    if (asked.some((attempt) => this.#limitMs(attempt, nowMs, load) > 0)) {
      return new Fault("provider_busy", "All of the provider's credentials are at their limits.", details);
    }
    const isAuth = (deployment?: Deployment) => deployment?.lastFault?.code === "upstream_auth";
    if (waiting.length > 0 && waiting.every(isAuth)) {
      return new Fault("upstream_auth", "The provider refused the gateway's key, or its quota is used up.");
    }
    return new Fault("no_provider_available", describeFailing(waiting, nowMs, payer), details);
  }

  /** The providers whose address a payer can't call now, or whose credentials are all at their limits. */
  findAway(nowMs: number, payer: string): ReadonlySet<string> {
    const isAnyShut = this.addresses.isAnyUnavailable(nowMs, payer);
    if (!isAnyShut && !this.ownLimits.any) return NONE;
    const isFull = ({ limits }: Key) => limits.waitMs(LEAST_LOAD, nowMs) > 0;
    const isAway = ([name, keys]: readonly [string, ReadonlyMap<string, Key>]) =>
      (isAnyShut && this.isShut(name, nowMs, payer)) || (keys.size > 0 && [...keys.values()].every(isFull));
    return new Set([...this.#keys].filter(isAway).map(([name]) => name));
  }

  /** Milliseconds until the attempt is within the credential's limits. */
  #limitMs(attempt: Attempt, nowMs: number, load: Load): number {
    const limitMs = this.ownLimits.any ? (this.key(attempt)?.limits.waitMs(load, nowMs) ?? 0) : 0;
    return load.isLine ? Math.max(limitMs, this.findPace(attempt).waitMs(nowMs)) : limitMs;
  }

  /** Milliseconds until it may be called. Null if unknown. */
  waitMs(attempt: Attempt, nowMs: number, payer: string, load = ONE_CALL): number | null {
    const address = this.addresses.find(attempt.card.provider);
    const addressMs = address ? address.waitMs(nowMs, payer) : 0;
    const deployment = this.deployment(attempt);
    const deploymentMs = deployment ? deployment.waitMs(nowMs, payer) : 0;
    if (addressMs === null || deploymentMs === null) return null;
    return Math.max(addressMs, deploymentMs, this.#limitMs(attempt, nowMs, load));
  }

  #card(id: string): CardHealth {
    const known = this.#cards.get(id);
    // Each request asks twice, and most follow one for the same model.
    if (known !== undefined && id === this.#newest) return known;
    const card = known ?? new CardHealth();
    this.#cards.delete(id);
    this.#cards.set(id, card);
    this.#newest = id;
    if (this.#cards.size > CARDS_MAX) this.#forgetOldest();
    return card;
  }

  #forgetOldest(): void {
    const [oldest] = this.#cards.keys();
    if (oldest !== undefined) this.#cards.delete(oldest);
  }

  #budget(provider: string): RetryBudget {
    return this.#budgets.getOrInsertComputed(provider, makeBudget);
  }
}

const MINUTE_MS = 60_000;
const NONE: ReadonlySet<string> = new Set();
