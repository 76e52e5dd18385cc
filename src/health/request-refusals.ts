// The credentials that providers refused to one request, which decides at its end which of them are retired.

import type { Fault } from "../core/fault.ts";
import { describeFailure } from "../core/log/failure.ts";
import { readMeaning } from "../core/models/upstream.ts";

const UNAUTHORIZED = 401;
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
  #refusals: CredentialRefusal[] | null = null;
  /** The models that another credential served, or that failed otherwise. */
  #others: Set<string> | null = null;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  /** `retire` is called if the refusal turns out to be about the credential. */
  add(cardId: string, fault: Fault, retire: () => void): void {
    const status = fault.details.upstreamStatus ?? null;
    const { upstreamCode } = describeFailure(fault);
    this.#refusals ??= [];
    this.#refusals.push({ cardId, words: `${status} ${upstreamCode}`, isNamed: namesKey(fault), retire });
  }

  /** A call of the model ended in another way. Costs nothing unless a credential has been refused. */
  recordOther(cardId: string): void {
    if (this.#refusals === null) return;
    this.#others ??= new Set();
    this.#others.add(cardId);
  }

  /** No more credentials will be tried for the request. */
  settle(): void {
    const refusals = this.#refusals;
    this.#refusals = null;
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
