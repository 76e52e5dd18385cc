// One credential of a provider: whether the provider accepts it, the number of attempts under way with it, and the
// refusals of a request, which decides at its end which credentials are retired.
import { describeFailure } from "../core/faults/failure.ts";
import type { Fault } from "../core/faults/fault.ts";
import type { Evidence, Passage } from "../core/health/evidence.ts";
import { type KeyPayer, namePayer, Voices } from "../core/keys/payer.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Credential } from "../core/settings.ts";
import { Breaker } from "./breaker/breaker.ts";
import type { CircuitTerms } from "./breaker/circuit.ts";
import type { Deployment } from "./deployment.ts";
import { CallsByKey } from "./order/calls-by-key.ts";
import { CredentialLimits } from "./rate.ts";

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
  sharedShuts: true,
};

/** A breaker of refusals that a call tests, and how the call has passed it. */
export interface KeyProbe {
  readonly refusal: Breaker;
  readonly passage: Passage;
}

/** A refusal as a payer's call met it. */
interface MetRefusal {
  readonly payer: string;
  readonly evidence: Evidence;
  /** The provider's status. Null if it sent none. */
  readonly status: number | null;
  /** The breakers that the call tested. Empty if it wasn't known to be refused. */
  readonly probes: readonly KeyProbe[];
}

/** Finds out in the background whether the provider refuses a credential to everybody. */
export interface KeyProver {
  suspect(provider: string, credential: Credential): void;
}

const NO_PROBES: readonly KeyProbe[] = [];

export class Key {
  readonly last4: string | null;
  readonly limits: CredentialLimits;
  inFlight = 0;
  readonly callsByKey = new CallsByKey();
  /** When it was last called, on the monotonic clock. Null if it never was. */
  calledMs: number | null;
  /** The payers that call with it, whichever model. */
  readonly #voices: Voices;
  /** The time of and reason for the provider's refusal to everybody. Null if it hasn't refused the credential. */
  retired: { readonly atMs: number; readonly reason: string } | null = null;
  /** Null until the provider refuses it. */
  #refusal: Breaker | null = null;
  /** Breakers for single models that refuse the credential while it serves others. */
  readonly #refusalsBy = new WeakMap<Deployment, Breaker>();
  /** The last model that it served. */
  #served: string | null = null;
  readonly #prove: () => void;
  /** True once the provider was asked for a proof, until the credential serves a request. */
  #isSuspected = false;

  /** `before` is the same credential under the last configuration. `prove` asks the provider whether it accepts it. */
  constructor(credential: Credential, before?: Key, prove: () => void = () => {}) {
    this.#prove = prove;
    const { secret } = credential;
    this.limits = new CredentialLimits(credential, before?.limits);
    this.calledMs = before?.calledMs ?? null;
    this.#voices = before === undefined ? new Voices() : before.#voices;
    this.last4 = secret !== null && secret.length >= SHOWN_CHARACTERS_MIN ? secret.slice(-4) : null;
  }

  recordCall(nowMs: number, payer: string): void {
    this.calledMs = nowMs;
    this.#voices.recordCall(nowMs, payer);
  }

  /** True if it is known to be refused to the payer, for this model or for all. */
  isRefused(deployment: Deployment | undefined, nowMs: number, payer: string): boolean {
    const refusals = this.#refusals(deployment);
    if (refusals === NONE) return false;
    const isServed = deployment?.breaker.isServed(nowMs, payer);
    return refusals.some((refusal) => refusal.isOpenFor(nowMs, payer, isServed));
  }

  /** True if one request of the payer may try it again. */
  isDue(deployment: Deployment | undefined, nowMs: number, payer: string): boolean {
    const refusals = this.#refusals(deployment);
    return refusals === NONE || areAllDue(refusals, nowMs, payer, deployment?.breaker.isServed(nowMs, payer));
  }

  /** Milliseconds until it is tried again if the provider has other credentials. 0 means now. */
  waitMs(nowMs: number): number {
    return this.#refusal?.waitForAllMs(nowMs) ?? 0;
  }

  /** When it was last refused to the payer or to everybody, on the monotonic clock. 0 if it never was. */
  refusedAtMs(payer: string): number {
    return Math.max(this.retired?.atMs ?? 0, this.#refusal?.calledAtMs(payer) ?? 0);
  }

  /** Returns what this call tests: whether the credential is still refused. The outcome must be recorded. */
  pass(deployment: Deployment, nowMs: number, payer: string): readonly KeyProbe[] {
    const refusals = this.#refusals(deployment);
    if (refusals === NONE) return NO_PROBES;
    const isServed = deployment.breaker.isServed(nowMs, payer);
    if (!areAllDue(refusals, nowMs, payer, isServed)) return NO_PROBES;
    const open = refusals.filter((refusal) => refusal.isOpenFor(nowMs, payer, isServed));
    return open.map((refusal) => ({ refusal, passage: refusal.pass(nowMs, payer, isServed) ?? "free" }));
  }

  /** Records that the provider accepted the credential. True if it had been retired. */
  recordSuccess(card: ModelCard, deployment: Deployment, nowMs: number, payer: string): boolean {
    this.#served = card.id;
    this.#isSuspected = false;
    const refusals = this.#refusals(deployment);
    if (refusals === NONE) return false;
    const voice = this.#voices.nameVoice(nowMs, payer);
    // An answer shows that it is accepted, even if the call wasn't sent to test that.
    for (const refusal of refusals) refusal.recordSuccess(nowMs, payer, "both", voice);
    const wasRetired = this.retired !== null;
    this.retired = null;
    return wasRetired;
  }

  /**
   * Records a refusal. True if that retires the credential for everybody: after a 403, one that served another model is not
   * retired, nor is one that a single payer of several found refused without words that name it.
   */
  recordRefusal(card: ModelCard, deployment: Deployment, nowMs: number, met: MetRefusal): boolean {
    const { payer, status } = met;
    const voice = this.#voices.nameVoice(nowMs, payer);
    const ofDeployment = this.#refusalsBy.getOrInsertComputed(deployment, makeRefusal);
    record(ofDeployment, nowMs, voice, met);
    if (status === FORBIDDEN && this.#served !== null && this.#served !== card.id) return false;
    this.#refusal ??= makeRefusal();
    record(this.#refusal, nowMs, voice, met);
    if (!this.#refusal.isOpenForAll(nowMs) && !this.#voices.isAlone(nowMs, payer)) return false;
    const isNew = this.retired === null;
    this.retired = { atMs: nowMs, reason: explainStatus(status) };
    return isNew;
  }

  /** A payer found it refused in a way that its request may have caused: the provider is asked, unless that is settled. */
  suspect(): void {
    if (this.retired !== null) return;
    this.#isSuspected = true;
    this.#prove();
  }

  /** Retires it for everybody: the provider refuses its list of models to it, too. False if it has served since it was suspected. */
  recordProof(nowMs: number, status: number): boolean {
    if (this.retired !== null || !this.#isSuspected) return false;
    this.#refusal ??= makeRefusal();
    this.#refusal.shut(nowMs);
    this.retired = { atMs: nowMs, reason: `its list of models is refused, too (${status})` };
    return true;
  }

  /** Ends a test without an outcome, so that the next call may be one. */
  release(probes: readonly KeyProbe[], payer: string): void {
    for (const { refusal, passage } of probes) if (passage !== "free") refusal.release(payer, passage);
  }

  /** Those that the provider has refused since the configuration was read, for this model or for all. */
  #refusals(deployment: Deployment | undefined): readonly Breaker[] {
    const ofDeployment = deployment && this.#refusalsBy.get(deployment);
    if (this.#refusal === null) return ofDeployment === undefined ? NONE : [ofDeployment];
    return ofDeployment === undefined ? [this.#refusal] : [this.#refusal, ofDeployment];
  }
}

/** A credential that hasn't been refused costs its requests no object. */
const NONE: readonly Breaker[] = [];
const makeRefusal = () => new Breaker(REFUSAL_TERMS);

function areAllDue(refusals: readonly Breaker[], nowMs: number, payer: string, isServed?: boolean): boolean {
  return refusals.every((refusal) => refusal.waitMs(nowMs, payer, isServed) === 0);
}

function record(
  refusal: Breaker,
  nowMs: number,
  voice: string,
  { payer, evidence, probes }: MetRefusal,
): void {
  const passage = probes.find((probe) => probe.refusal === refusal)?.passage ?? "free";
  refusal.recordFailure(nowMs, payer, passage, evidence, voice);
}

function explainStatus(status: number | null): string {
  if (status === 401) return "the provider says that the key is invalid (401)";
  if (status === FORBIDDEN) return "the provider says that the key is not permitted (403)";
  if (status === PAYMENT_REQUIRED || status === TOO_MANY)
    return `the provider says that the key's credit or quota is used up (${status})`;
  // Google and Anthropic answer 400 to a wrong key as well as to one without credit.
  return `the provider refuses the key or says that its credit is used up (${status ?? "no status"})`;
}

interface CredentialRefusal {
  readonly cardId: string;
  readonly words: string;
  readonly retire: () => void;
}

/**
 * A prompt that a filter answers with 403, or that a small balance can't pay, is refused with every credential. So what
 * is refused to a request without words that name the credential counts only once it is known whether another one did better.
 */
export class RequestRefusals {
  readonly accountId: string;
  readonly payer: string;
  /** True once a credential has been refused, until it is settled. */
  isAny = false;
  #refusals: CredentialRefusal[] | null = null;
  /** The models that another credential served, or that failed otherwise. */
  #others: Set<string> | null = null;

  constructor(key: KeyPayer) {
    this.accountId = (key.asksFor ?? key).accountId;
    this.payer = namePayer(key);
  }

  /** `retire` is called if the refusal turns out to be about the credential. */
  add(cardId: string, fault: Fault, retire: () => void): void {
    const status = fault.details.upstreamStatus ?? null;
    const { upstreamCode } = describeFailure(fault);
    this.isAny = true;
    this.#refusals ??= [];
    this.#refusals.push({ cardId, words: `${status} ${upstreamCode}`, retire });
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

/** Returns the refusals that are about their credentials, of several one at most: the others may be about the request. */
function chooseRetired(
  refusals: readonly CredentialRefusal[],
  hasOther: boolean,
): readonly CredentialRefusal[] {
  if (refusals.length === 1) return refusals;
  return hasOther ? refusals.slice(0, 1) : [];
}
