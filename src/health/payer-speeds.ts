// The speeds of a deployment's answers by payer, kept apart so that none decides another's choice.

import { readAccount } from "../core/keys/payer.ts";
import { FadingValues, LastValues } from "./decay.ts";

/** Speeds fade faster than the time within which a selector must notice a change. */
export const SPEED_HALF_LIFE_MS = 15_000;
/** The time for which older values are kept if there are no fresh ones. */
const LAST_KEPT_MS = 6 * 3_600_000;
/** An answer with fewer tokens, or in less time, is too short to measure a speed by. */
const TOKENS_MIN = 8;
const SPEED_TIME_MIN_MS = 5;
/** Beyond this number, the payer that called longest ago is forgotten. */
const PAYERS_MAX = 32;
/** The most of one account, if other accounts call too. */
const ACCOUNT_PAYERS_MAX = 4;

/** The speeds of one payer's answers. */
export class PayerSpeeds {
  /** Milliseconds to the first part of streamed answers, and to the end of whole ones. */
  readonly firstMs = new FadingValues(SPEED_HALF_LIFE_MS);
  readonly wholeMs = new FadingValues(SPEED_HALF_LIFE_MS);
  readonly tokensPerSecond = new FadingValues(SPEED_HALF_LIFE_MS);
  readonly lastFirstMs = new LastValues(LAST_KEPT_MS);
  readonly lastTokensPerSecond = new LastValues(LAST_KEPT_MS);
  /** The time of the last answer that showed how fast it is. */
  measuredAtMs: number | null = null;
  calledMs = 0;
  inFlight = 0;

  /** Records how long it took until an answer began, if streamed, or was complete. */
  recordWait(waitMs: number, streamed: boolean, nowMs: number): void {
    (streamed ? this.firstMs : this.wholeMs).add(waitMs, nowMs);
    if (streamed) this.lastFirstMs.add(waitMs, nowMs);
    this.measuredAtMs = nowMs;
  }

  /** Records the speed of an answer. */
  recordSpeed(nowMs: number, tokens: number, tookMs: number): void {
    if (tokens < TOKENS_MIN || tookMs < SPEED_TIME_MIN_MS) return;
    const speed = (tokens * 1000) / tookMs;
    this.tokensPerSecond.add(speed, nowMs);
    this.lastTokensPerSecond.add(speed, nowMs);
    this.measuredAtMs = nowMs;
  }
}

/** Those of all payers that have called lately. */
export class SpeedsByPayer {
  readonly #payers = new Map<string, PayerSpeeds>();

  find(payer: string): PayerSpeeds | undefined {
    return this.#payers.get(payer);
  }

  /** True if another payer than this one has called. */
  hasOthers(payer: string): boolean {
    return this.#payers.size > (this.#payers.has(payer) ? 1 : 0);
  }

  /** A payer's call begins. */
  begin(payer: string, nowMs: number): PayerSpeeds {
    const own = this.#payers.get(payer) ?? this.#make(payer);
    own.calledMs = nowMs;
    own.inFlight++;
    return own;
  }

  [Symbol.iterator](): MapIterator<[string, PayerSpeeds]> {
    return this.#payers[Symbol.iterator]();
  }

  #make(payer: string): PayerSpeeds {
    const made = new PayerSpeeds();
    const account = readAccount(payer);
    const own = [...this.#payers.keys()].filter((one) => readAccount(one) === account);
    if (own.length >= ACCOUNT_PAYERS_MAX && own.length < this.#payers.size) this.#forgetOldest(own);
    else if (this.#payers.size >= PAYERS_MAX) this.#forgetOldest([...this.#payers.keys()]);
    this.#payers.set(payer, made);
    return made;
  }

  #forgetOldest(payers: readonly string[]): void {
    const calledMs = (payer: string) => this.#payers.get(payer)?.calledMs ?? 0;
    const [oldest] = payers.toSorted((a, b) => calledMs(a) - calledMs(b));
    if (oldest !== undefined) this.#payers.delete(oldest);
  }
}

type PickValues = (own: PayerSpeeds) => FadingValues;

/** Returns one figure's values at several deployments by payer. */
export function groupValues(
  all: readonly { readonly speedsBy: SpeedsByPayer }[],
  pick: PickValues,
): ReadonlyMap<string, readonly FadingValues[]> {
  const grouped = new Map<string, FadingValues[]>();
  for (const { speedsBy } of all)
    for (const [payer, own] of speedsBy) grouped.getOrInsertComputed(payer, () => []).push(pick(own));
  return grouped;
}
