// The bill of an answer that says something about its own price: another service or region, or what it cost.
import { type BillLine, computeCost, type NanoUsd } from "../../core/money/money.ts";
import { listBillLines, sumBill } from "../../core/money/price.ts";
import { type AnswerTerms, findServedPrice } from "../../core/money/terms.ts";
import type { ProviderSetup } from "../../core/settings.ts";
import type { SentAsk } from "../../operations/operation.ts";
import type { Bill } from "./bill.ts";

/** The facts that decide on the price of an answer, besides its usage. */
export interface TermsRules {
  readonly markup: number;
  /** The provider that answered. Null if it is gone. */
  readonly provider: Pick<ProviderSetup, "geo" | "reportsCost"> | null;
  /** Returns the most that the request could cost when it was let in, markup included. */
  findHold(): NanoUsd;
}

/** An answer of a model without a limit or a price costs no more: a higher figure is a mistake. */
export const COST_MAX: NanoUsd = 100_000_000_000;

/** A claim above this is kept as this: no answer costs as much, and larger amounts aren't exact. */
const CLAIM_USD_MAX = 1_000_000;

type PricedCall = Pick<SentAsk<unknown>, "card" | "calls">;

const PIECES_PER_MILLION = 1_000_000;

export function billByTerms(plain: Bill, terms: AnswerTerms, sent: PricedCall, rules: TermsRules): Bill {
  const served = terms.served ? billServed(plain, terms.served, sent, rules) : plain;
  const { costUsd } = terms;
  return costUsd !== undefined && rules.provider?.reportsCost
    ? billReported(served, costUsd, sent, rules)
    : served;
}

/** Nobody asked for a dearer service than what was held for, so the operator bears the rest. */
function billServed(
  plain: Bill,
  served: NonNullable<AnswerTerms["served"]>,
  { card, calls }: PricedCall,
  rules: TermsRules,
): Bill {
  if (card.price === null) return plain;
  const { markup, provider } = rules;
  const findGeo = (word: string) => {
    const region = provider?.geo?.get(word);
    return region?.models.test(card.name) && !card.isPriceStated ? region : undefined;
  };
  const { price, unpriced, priced } = findServedPrice(card.price, served, findGeo);
  const lines = listBillLines(price, plain.amounts, calls);
  const costNanoUsd = sumBill(lines, markup);
  const marks = {
    ...(unpriced.length > 0 ? { unpriced } : {}),
    ...(priced.length > 0 ? { served: priced } : {}),
  };
  if (costNanoUsd <= plain.costNanoUsd) return { ...plain, ...marks, lines, costNanoUsd };
  const holdNanoUsd = rules.findHold();
  if (costNanoUsd <= holdNanoUsd) return { ...plain, ...marks, lines, costNanoUsd };
  return { ...plain, ...marks, lines, costNanoUsd: holdNanoUsd, isBeyondHold: true };
}

/** The provider's own figure counts, up to what was held. */
function billReported(plain: Bill, costUsd: number, { card }: PricedCall, rules: TermsRules): Bill {
  // Free models of a name that the catalogue doesn't have cost nothing. Any other has a price for its tokens.
  const isFree = costUsd === 0 && (card.isHoldPriced || plain.costNanoUsd === 0);
  if (!(costUsd > 0 || isFree)) return plain;
  const lines = [makeReportedLine(costUsd)];
  const claimedNanoUsd = computeCost(lines, 1);
  const costNanoUsd = computeCost(lines, rules.markup);
  if (costNanoUsd > rules.findHold()) return { ...plain, claimedNanoUsd, isBeyondHold: true };
  return { ...plain, lines, costNanoUsd, claimedNanoUsd };
}

function makeReportedLine(costUsd: number): BillLine {
  const usdPerMillion = Math.min(costUsd, CLAIM_USD_MAX) * PIECES_PER_MILLION;
  return { what: "reported cost", count: 1, usdPerMillion };
}

/** Returns the cost that a usage's terms report, as an invoice will have it. Missing if they report none. */
export function claimCost({ costUsd }: AnswerTerms = {}): { readonly costNanoUsd?: NanoUsd } {
  return costUsd === undefined ? {} : { costNanoUsd: computeCost([makeReportedLine(costUsd)], 1) };
}
