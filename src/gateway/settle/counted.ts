// Usage of a request, where it came from, and the bill by the model's card or by what the answer says of its price.

import type { UsageSource } from "../../core/log/record.ts";
import { listBillLines, sumBill } from "../../core/money/price.ts";
import { type Amounts, NO_AMOUNTS } from "../../core/money/units.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation, SentAsk } from "../../operations/operation.ts";
import type { Bill } from "./bill.ts";
import { billByTerms, type TermsRules } from "./terms-bill.ts";

export interface UsageCount<Usage> {
  readonly usage: Usage | null;
  readonly source: UsageSource;
  readonly bill: Bill;
  /** The provider's own figures, if they were implausible. */
  readonly implausible: Amounts | null;
}

export const UNCOUNTED: UsageCount<never> = {
  usage: null,
  source: "none",
  bill: {
    amounts: NO_AMOUNTS,
    costNanoUsd: 0,
    lines: [],
  },
  implausible: null,
};

/** Bills an answer by the provider's report, or by an estimate of what was produced. */
export function countAnswer<F extends Form>(
  operation: Operation<F>,
  usage: F["usage"],
  source: UsageSource,
  sent: SentAsk<F["ask"]>,
  rules: TermsRules,
): UsageCount<F["usage"]> {
  const cut = operation.cutUsage(usage, sent);
  const plain = makeBill(operation.countAmounts(cut.usage), sent, rules.markup);
  const bill = usage.terms ? billByTerms(plain, usage.terms, sent, rules) : plain;
  const isDoubtful = cut.isCut || (bill.isBeyondHold && bill.unpriced === undefined);
  const implausible = isDoubtful ? operation.countAmounts(usage) : null;
  // The hold is charged if the answer doesn't say what it cost, or says more than that.
  const isGuess = sent.card.isHoldPriced && (bill.claimedNanoUsd === undefined || bill.isBeyondHold);
  return { usage: cut.usage, source: isGuess ? "estimate" : source, bill, implausible };
}

/** Bills a prompt that was sent but never answered. No provider reports its usage, so it is estimated. */
export function countPrompt<F extends Form>(
  operation: Operation<F>,
  sent: SentAsk<F["ask"]>,
  markup: number,
): UsageCount<F["usage"]> {
  const usage = operation.estimate(sent, 0, null);
  const bill = makeBill(operation.countAmounts(usage), sent, markup);
  return { usage, source: "estimate", bill, implausible: null };
}

function makeBill(
  amounts: Amounts,
  { card: { price }, calls }: Pick<SentAsk<unknown>, "card" | "calls">,
  markup: number,
): Bill {
  if (price === null) return { ...UNCOUNTED.bill, amounts };
  const lines = listBillLines(price, amounts, calls);
  return { amounts, costNanoUsd: sumBill(lines, markup), lines };
}
