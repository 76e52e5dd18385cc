// The count of a request: its usage, the source of that, and the bill that the card makes of it.

import type { BillLine } from "../core/money.ts";
import type { Tokens, UnsettledRecord, UsageSource } from "../core/record.ts";
import { listBillLines, sumBill } from "../ledger/price.ts";
import type { Form } from "../operations/codec.ts";
import type { Operation, SentAsk } from "../operations/operation.ts";

export interface Bill extends Pick<UnsettledRecord, "tokens" | "costNanoUsd"> {
  readonly lines: readonly BillLine[];
}

export interface Counted<Usage> {
  readonly usage: Usage | null;
  readonly source: UsageSource;
  readonly bill: Bill;
  /** The counts of the provider's own report, where it can't be. */
  readonly implausible: Tokens | null;
}

export const UNCOUNTED: Counted<never> = {
  usage: null,
  source: "none",
  bill: {
    tokens: { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, searches: 0 },
    costNanoUsd: 0,
    lines: [],
  },
  implausible: null,
};

/** Counts an answer at the provider's report, or at an estimate of what was produced. */
export function countAnswer<F extends Form>(
  operation: Operation<F>,
  { usage, source }: { readonly usage: F["usage"]; readonly source: UsageSource },
  sent: SentAsk<F["ask"]>,
  markup: number,
): Counted<F["usage"]> {
  const cut = operation.cutUsage(usage, sent);
  const bill = makeBill(operation.countTokens(cut.usage), sent, markup);
  const implausible = cut.isCut ? operation.countTokens(usage) : null;
  return { usage: cut.usage, source, bill, implausible };
}

/** Counts a prompt that was sent and not answered: nobody but us does. */
export function countPrompt<F extends Form>(
  operation: Operation<F>,
  sent: SentAsk<F["ask"]>,
  markup: number,
): Counted<F["usage"]> {
  const usage = operation.estimate(sent, 0, null);
  const bill = makeBill(operation.countTokens(usage), sent, markup);
  return { usage, source: "estimate", bill, implausible: null };
}

function makeBill(
  tokens: Tokens,
  { card: { price }, calls }: Pick<SentAsk<unknown>, "card" | "calls">,
  markup: number,
): Bill {
  if (price === null) return { ...UNCOUNTED.bill, tokens };
  const lines = listBillLines(price, tokens, calls);
  return { tokens, costNanoUsd: sumBill(lines, markup), lines };
}
