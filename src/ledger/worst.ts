// The worst that a request may cost: what is held of the balance before a provider is called.
import type { Offer } from "../core/demand.ts";
import { type BillLine, computeCost, type NanoUsd } from "../core/money.ts";

/** The share of the free balance that a request without its own limit may hold. */
const SHARE_UNASKED = 1 / 4;
/** A shorter answer would seldom be of use: what doesn't cover it doesn't cover the request. */
const OUTPUT_TOKENS_MIN = 1024;
/** Coding agents always name their model's whole limit, which they hardly ever use: above this it is only a wish. */
const OUTPUT_TOKENS_NAMED_MAX = 16_384;
/** The least that such a wish is granted. */
const OUTPUT_TOKENS_WISHED_MIN = 4096;

/** The cost of so many tokens of output per choice, whole nano-dollars, markup included. */
function worstCost(offer: Offer, outputTokens: number, markup: number): NanoUsd {
  const { lines, outputUsdPerMillion: usdPerMillion, choices } = offer;
  const output: BillLine = { what: "output", count: choices * outputTokens, usdPerMillion };
  return computeCost([...lines, output], markup);
}

export interface HoldTerms {
  readonly nanoUsd: NanoUsd;
  /** By card, the output per choice that is held for. */
  readonly outputTokens: Readonly<Record<string, number>>;
}

/** The most that a hold may take. */
export interface Room {
  readonly nanoUsd: NanoUsd;
  /** The maximum that a request without an output limit may take. */
  readonly unnamedNanoUsd: NanoUsd;
}

/** A balance: a request that names no limit leaves three quarters to those beside it. */
export function balanceRoom(freeNanoUsd: NanoUsd): Room {
  return { nanoUsd: freeNanoUsd, unnamedNanoUsd: freeNanoUsd * SHARE_UNASKED };
}

/** The hold for those of the cards that the room covers; null if it covers none. */
export function coverSome(offers: readonly Offer[], room: Room, markup: number): HoldTerms | null {
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

/** The output per choice to hold for: what the client named, else as much of the model's limit as its share covers. */
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
