// The most that a request's hold covers, by which what an answer says about its own price is judged.
import type { NanoUsd } from "../../core/money/money.ts";
import { worstCost } from "../../ledger/worst.ts";
import type { Form } from "../../operations/form.ts";
import type { SentAsk } from "../../operations/operation.ts";
import type { Call } from "../call.ts";
import { COST_MAX } from "../settle/terms-bill.ts";
import { makeOffers } from "./fitted.ts";

const MS_PER_SECOND = 1000;

/** `ask` is the request as it was sent, with the limit that was held for. */
export function findHoldMost<F extends Form>(call: Call<F>, { ask, card }: SentAsk<F["ask"]>): NanoUsd {
  const { operation, routes, raw, isLimitRequired, searches, unreadBytes, cachesLong, markup } = call;
  const terms = { isLimitRequired, searches, unreadBytes, ...(cachesLong ? { cachesLong } : {}) };
  const nowMs = call.created * MS_PER_SECOND;
  const [offer] = makeOffers({ operation, routes, raw, ask, ...terms }, [card], nowMs);
  if (!offer?.isPriced) return COST_MAX;
  const tokens = offer.outputTokensAsked ?? offer.outputTokensMax;
  if (tokens === null)
    return offer.outputUsdPerMillion === 0 ? worstCost(offer, offer.lines, 0, markup) : COST_MAX;
  return Math.min(COST_MAX, worstCost(offer, offer.lines, tokens, markup));
}
