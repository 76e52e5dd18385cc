// The worst case of a request's cost, which is held before a provider is called.
import type { Offer } from "../core/demand.ts";
import { type BillLine, computeCost, type NanoUsd } from "../core/money.ts";

/** The share of the free balance that a request without an output limit may hold. */
const SHARE_UNASKED = 1 / 4;
/** A shorter answer is seldom useful: a balance that can't cover this many doesn't cover the request. */
const OUTPUT_TOKENS_MIN = 1024;
/** Coding agents always send their model's maximum and hardly ever use it: a larger limit is only a wish. */
const OUTPUT_TOKENS_NAMED_MAX = 16_384;
/** The least granted for such a wish. */
const OUTPUT_TOKENS_WISHED_MIN = 4096;

/** An answer that a ceiling cuts to fewer tokens isn't worth asking for. */
export const OUTPUT_TOKENS_LEAST = 16;

/**
 * Returns the offer with its output limited to what costs at most this much, markup included. Null if not even the
 * shortest answer fits.
 */
export function capOffer(offer: Offer, ceiling: NanoUsd, markup: number): Offer | null {
  const { outputTokensAsked: asked, outputTokensMax, outputUsdPerMillion, choices } = offer;
  const most = Math.min(asked ?? Number.MAX_SAFE_INTEGER, outputTokensMax ?? Number.MAX_SAFE_INTEGER);
  const least = Math.min(OUTPUT_TOKENS_LEAST, most);
  if (worstCost(offer, least, markup) > ceiling) return null;
  const tokenNano = outputUsdPerMillion * 1000 * markup * choices;
  const covered = tokenNano === 0 ? most : Math.floor((ceiling - worstCost(offer, 0, markup)) / tokenNano);
  const tokens = Math.max(least, Math.min(most, covered));
  return { ...offer, outputTokensAsked: asked && tokens, outputTokensMax: tokens };
}

/** Returns the cost with `outputTokens` per choice, in whole nano-dollars, markup included. */
export function worstCost(offer: Offer, outputTokens: number, markup: number): NanoUsd {
  const { lines, outputUsdPerMillion: usdPerMillion, choices } = offer;
  const output: BillLine = { what: "output", count: choices * outputTokens, usdPerMillion };
  return computeCost([...lines, output], markup);
}

export interface HoldTerms {
  readonly nanoUsd: NanoUsd;
  /** The output tokens per choice that the hold covers, by card. */
  readonly outputTokens: Readonly<Record<string, number>>;
}

/** The most that a request may hold. */
export interface Room {
  readonly nanoUsd: NanoUsd;
  /** The most for a request without an output limit. */
  readonly unnamedNanoUsd: NanoUsd;
}

/** Returns the room of a balance. A request without an output limit leaves three quarters for others. */
export function computeBalanceRoom(freeNanoUsd: NanoUsd): Room {
  return { nanoUsd: freeNanoUsd, unnamedNanoUsd: freeNanoUsd * SHARE_UNASKED };
}

/** Returns the hold for the cards that the room covers. Null if it covers none. */
export function computeHoldTerms(offers: readonly Offer[], room: Room, markup: number): HoldTerms | null {
  let nanoUsd = 0;
  const outputTokens: Record<string, number> = {};
  for (const offer of offers) {
    const tokens = chooseOutput(offer, room.unnamedNanoUsd, markup);
    const worst = worstCost(offer, tokens, markup);
    if (worst > room.nanoUsd) continue;
    nanoUsd = Math.max(nanoUsd, worst);
    outputTokens[offer.card] = tokens;
  }
  return Object.keys(outputTokens).length === 0 ? null : { nanoUsd, outputTokens };
}

/** Returns the output per choice to hold for: the client's limit, else what the share covers of the model's. */
function chooseOutput(offer: Offer, shareNanoUsd: NanoUsd, markup: number): number {
  const { outputTokensAsked: asked, outputTokensMax, outputUsdPerMillion, choices } = offer;
  const isMeant = !offer.isLimitRequired && asked !== null && asked <= OUTPUT_TOKENS_NAMED_MAX;
  if (isMeant) return asked;
  const most = asked ?? outputTokensMax ?? Number.MAX_SAFE_INTEGER;
  const tokenNano = outputUsdPerMillion * 1000 * markup * choices;
  if (tokenNano === 0) return most;
  const least = asked === null ? OUTPUT_TOKENS_MIN : OUTPUT_TOKENS_WISHED_MIN;
  const covered = Math.floor((shareNanoUsd - worstCost(offer, 0, markup)) / tokenNano);
  return Math.min(most, Math.max(least, covered));
}
