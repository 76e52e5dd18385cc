// One credential of a provider: whether the provider accepts it, the number of attempts under way with it, and the
// refusals of a request, which decides at its end which credentials are retired.
import type { Fault } from "../core/fault.ts";
import { type GatewayKey, NOBODY, namePayer } from "../core/keys/key.ts";
import { describeFailure } from "../core/log/failure.ts";
import type { ModelCard } from "../core/models/card.ts";
import { readMeaning } from "../core/models/upstream.ts";
import type { Credential } from "../core/settings.ts";
import { Breaker } from "./breaker.ts";
import type { CircuitTerms } from "./circuit.ts";
import type { Deployment } from "./deployment.ts";
import { CredentialLimits } from "./rate.ts";

const UNAUTHORIZED = 401;
const PAYMENT_REQUIRED = 402;
const FORBIDDEN = 403;
const TOO_MANY = 429;
/** Four characters of a shorter secret would reveal too much of it. */
export const SHOWN_CHARACTERS_MIN = 12;
/** Credit is topped up or a lock lifted within minutes, or not for days. One refused call per interval costs little. */
const REFUSAL_TERMS: CircuitTerms = {
  inRowMax: 1,
  countsShare: false,
  waitMs: 60_000,
  waitMaxMs: 3_600_000,
  relapseMs: 3_600_000,
};

export class Key {
  readonly last4: string | null;
  readonly limits: CredentialLimits;
  inFlight = 0;
  /** When it was last called, on the monotonic clock. Null if it never was. */
  calledMs: number | null;
  /** The time of and reason for the provider's refusal. Null if it hasn't refused the credential. */
  retired: { readonly atMs: number; readonly reason: string } | null = null;
  readonly #refusal = new Breaker(REFUSAL_TERMS);
  /** Breakers for single models that refuse the credential while it serves others. */
  readonly #refusalsBy = new WeakMap<Deployment, Breaker>();
  /** The last model that it served. */
  #served: string | null = null;

  /** `before` is the same credential under the last configuration. */
  constructor(credential: Credential, before?: Key) {
    const { secret } = credential;
    this.limits = new CredentialLimits(credential, before?.limits);
    this.calledMs = before?.calledMs ?? null;
    this.last4 = secret !== null && secret.length >= SHOWN_CHARACTERS_MIN ? secret.slice(-4) : null;
  }

  /** True if it is known to be refused, for this model or for all. */
  isRefused(deployment: Deployment | undefined): boolean {
    return this.#refusals(deployment).length > 0;
  }

  /** True if one request may try it again. */
  isDue(deployment: Deployment | undefined, nowMs: number): boolean {
    return this.#refusals(deployment).every((refusal) => refusal.waitMs(nowMs, NOBODY) === 0);
  }

  /** Milliseconds until it is tried again if the provider has other credentials. 0 means now. */
  waitMs(nowMs: number): number {
    return this.#refusal.waitMs(nowMs, NOBODY) ?? 0;
  }

  /** True if this call probes whether the credential is still refused; its outcome must be recorded. */
  pass(deployment: Deployment, nowMs: number): boolean {
    const refusals = this.#refusals(deployment);
    if (refusals.length === 0 || !this.isDue(deployment, nowMs)) return false;
    for (const refusal of refusals) refusal.pass(nowMs, NOBODY);
    return true;
  }

  /** Records that the provider accepted the credential. True if it had been retired. */
  recordSuccess(card: ModelCard, deployment: Deployment, nowMs: number): boolean {
    this.#served = card.id;
    for (const refusal of this.#refusals(deployment)) refusal.recordSuccess(nowMs, NOBODY, "all");
    const wasRetired = this.retired !== null;
    this.retired = null;
    return wasRetired;
  }

  /** Records a refusal. True if that retires the credential: after a 403, one that served another model is not retired. */
  recordRefusal(
    card: ModelCard,
    deployment: Deployment,
    nowMs: number,
    status: number | null,
    isProbe: boolean,
  ): boolean {
    const ofDeployment = this.#refusalsBy.getOrInsertComputed(deployment, () => new Breaker(REFUSAL_TERMS));
    const passage = isProbe ? "all" : "free";
    ofDeployment.recordFailure(nowMs, NOBODY, passage, "shared");
    if (status === FORBIDDEN && this.#served !== null && this.#served !== card.id) return false;
    this.#refusal.recordFailure(nowMs, NOBODY, passage, "shared");
    const isNew = this.retired === null;
    this.retired = { atMs: nowMs, reason: explainStatus(status) };
    return isNew;
  }

  /** Ends a probe without an outcome, so that the next call may be a probe. */
  release(deployment: Deployment): void {
    for (const refusal of this.#refusals(deployment)) refusal.release(NOBODY, "all");
  }

  #refusals(deployment: Deployment | undefined): readonly Breaker[] {
    if (this.retired === null && deployment === undefined) return NONE;
    const ofDeployment = deployment && this.#refusalsBy.get(deployment);
    const open = ofDeployment?.isOpenFor(NOBODY) === true ? [ofDeployment] : NONE;
    return this.retired === null ? open : [this.#refusal, ...open];
  }
}

const NONE: readonly Breaker[] = [];

function explainStatus(status: number | null): string {
  if (status === 401) return "the provider says that the key is invalid (401)";
  if (status === FORBIDDEN) return "the provider says that the key is not permitted (403)";
  if (status === PAYMENT_REQUIRED || status === TOO_MANY)
    return `the provider says that the key's credit or quota is used up (${status})`;
  // Google and Anthropic answer 400 to a wrong key as well as to one without credit.
  return `the provider refuses the key or says that its credit is used up (${status ?? "no status"})`;
}

const KEY_WORDS = /\b(api[ _-]?key|access[ _-]key|credential)/i;

interface CredentialRefusal {
  readonly cardId: string;
  readonly words: string;
  readonly isNamed: boolean;
  readonly retire: () => void;
}

/**
 * A prompt that a filter answers with 403, or that a small balance can't pay, is refused with every credential. So what
 * is refused to a request counts only once it is known whether another credential did better.
 */
export class RequestRefusals {
  readonly accountId: string;
  readonly payer: string;
  /** True once a credential has been refused, until it is settled. */
  isAny = false;
  #refusals: CredentialRefusal[] | null = null;
  /** The models that another credential served, or that failed otherwise. */
  #others: Set<string> | null = null;

  constructor(key: Pick<GatewayKey, "accountId" | "memberId" | "asksFor">) {
    this.accountId = (key.asksFor ?? key).accountId;
    this.payer = namePayer(key);
  }

  /** `retire` is called if the refusal turns out to be about the credential. */
  add(cardId: string, fault: Fault, retire: () => void): void {
    const status = fault.details.upstreamStatus ?? null;
    const { upstreamCode } = describeFailure(fault);
    this.isAny = true;
    this.#refusals ??= [];
    this.#refusals.push({ cardId, words: `${status} ${upstreamCode}`, isNamed: namesKey(fault), retire });
  }

  /** A call of the model ended in another way, after a credential has been refused. */
  recordOther(cardId: string): void {
    this.#others ??= new Set();
    this.#others.add(cardId);
  }

  /** No more credentials will be tried for the request. */
  settle(): void {
    const refusals = this.#refusals;
    this.#refusals = null;
    this.isAny = false;
    if (refusals === null) return;
    for (const [cardId, own] of Map.groupBy(refusals, (refusal) => refusal.cardId)) {
      for (const { retire } of chooseRetired(own, this.#others?.has(cardId) === true)) retire();
    }
  }
}

/** Returns the refusals that are about their credentials. */
function chooseRetired(
  refusals: readonly CredentialRefusal[],
  hasOther: boolean,
): readonly CredentialRefusal[] {
  if (refusals.length === 1) return refusals;
  const isEqual = refusals.every(({ words }) => words === refusals[0]?.words);
  if (isEqual && !hasOther) return [];
  const named = refusals.filter(({ isNamed }) => isNamed);
  return named.length > 0 || !hasOther ? named : refusals.slice(0, 1);
}

/** True if the refusal can only be about the credential, whatever the request says. */
function namesKey(fault: Fault): boolean {
  const { upstreamStatus, upstream } = fault.details;
  if (upstreamStatus === UNAUTHORIZED) return true;
  if (upstream?.code !== undefined && readMeaning(upstream.code) === "upstream_auth") return true;
  return KEY_WORDS.test(upstream?.message ?? "");
}
