// The most that a request may cost, by its alias or its header: models whose worst case doesn't fit are passed over, and
// the others answer within it, because their output is limited to what fits.

import { Fault } from "../../core/faults/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { formatPlainUsd, NANO_PER_USD, type NanoUsd } from "../../core/money/money.ts";
import { capOffer, OUTPUT_TOKENS_LEAST } from "../../ledger/ceiling.ts";
import { worstCost } from "../../ledger/worst.ts";
import type { Form } from "../../operations/form.ts";
import type { OfferTerms } from "../../operations/operation.ts";
import type { Call } from "../call.ts";
import { makeOffers } from "./fitted.ts";
import type { Ceiling } from "./plan.ts";

/** The decimals of USD beyond a nano-dollar are rounding. */
const ROUNDING = 1e-6;

/** Returns the ceiling in whole nano-dollars. Null if there is none. */
export function findCeiling<F extends Form>({ steering }: Pick<Call<F>, "steering">): NanoUsd | null {
  return steering.maxCostUsd === null ? null : Math.floor(steering.maxCostUsd * NANO_PER_USD + ROUNDING);
}

type LimitedCall<F extends Form> = Pick<
  Call<F>,
  "operation" | "ask" | "raw" | "routes" | "markup" | "steering" | keyof Omit<OfferTerms, "answersPerCall">
>;

/** Returns what decides whether a model fits the request's ceiling. Null if it has none. */
export function makeCeiling<F extends Form>(call: LimitedCall<F>): Ceiling | null {
  const most = findCeiling(call);
  return most === null ? null : limitCost(call, most);
}

function limitCost<F extends Form>(call: LimitedCall<F>, most: NanoUsd): Ceiling {
  let cheapest: { readonly id: string; readonly nanoUsd: NanoUsd } | null = null;
  return {
    covers(card: ModelCard) {
      const [offer] = makeOffers(call, [card]);
      if (offer === undefined) return false;
      const nanoUsd = worstCost(offer, offer.lines, OUTPUT_TOKENS_LEAST, call.markup);
      if (capOffer(offer, most, call.markup) !== null) return true;
      if (cheapest === null || nanoUsd < cheapest.nanoUsd) cheapest = { id: card.id, nanoUsd };
      return false;
    },
    findFault() {
      if (cheapest === null) return null;
      const least = `the cheapest, '${cheapest.id}', may cost ${formatPlainUsd(cheapest.nanoUsd)} USD`;
      const message = `No model is sure to answer this request for at most ${formatPlainUsd(most)} USD: ${least}. Raise x-poundkey-max-cost (or the alias's max_cost_usd), or send a shorter prompt.`;
      return new Fault("unsupported_capability", message, { param: "x-poundkey-max-cost" });
    },
  };
}
