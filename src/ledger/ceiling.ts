// The most that a request may cost, as its client or its alias demands: the output limit is lowered until it fits.
import type { Offer } from "../core/demand.ts";
import { Fault } from "../core/faults/fault.ts";
import type { NanoUsd } from "../core/money/money.ts";
import type { LedgerRules } from "./allowance.ts";
import { worstCost } from "./worst.ts";

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
  if (worstCost(offer, offer.lines, least, markup) > ceiling) return null;
  const tokenNano = outputUsdPerMillion * 1000 * markup * choices;
  const prompt = worstCost(offer, offer.lines, 0, markup);
  const covered = tokenNano === 0 ? most : Math.floor((ceiling - prompt) / tokenNano);
  const tokens = Math.max(least, Math.min(most, covered));
  return { ...offer, outputTokensAsked: asked && tokens, outputTokensMax: tokens };
}

interface CeilingOffers {
  offers(isReserving: boolean): readonly Offer[];
}

interface CappedOffering extends CeilingOffers {
  readonly ceilingNanoUsd?: NanoUsd | null;
}

/** Returns the request's offers within its ceiling. They throw the Fault `unsupported_capability` if none fits it. */
export function capOffers(
  offering: CappedOffering,
  { billing }: Pick<LedgerRules, "billing">,
): CeilingOffers {
  const { ceilingNanoUsd: ceiling = null } = offering;
  return ceiling === null ? offering : capTo(ceiling, offering, billing);
}

function capTo(ceiling: NanoUsd, offering: CeilingOffers, billing: LedgerRules["billing"]): CeilingOffers {
  const offers = (isReserving: boolean) => {
    const all = offering.offers(isReserving);
    const capped = all.flatMap((offer) => capOffer(offer, ceiling, billing.markup) ?? []);
    if (capped.length > 0) return capped;
    const message = "No model answers this request within the most that it may cost (x-poundkey-max-cost).";
    throw new Fault("unsupported_capability", message, { param: "x-poundkey-max-cost" });
  };
  return { offers };
}
