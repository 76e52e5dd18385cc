// The cost of a time's requests by a list's prices, from the sums of their tokens.
import type { ModelCard, Price } from "../../core/models/card.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import { listBillLines, sumBill } from "../../core/money/price.ts";
import type { Amounts } from "../../core/money/units.ts";
import type { Proposal, Verdict } from "./verdict.ts";

/** The requests that a model has answered. */
export interface ModelUse {
  readonly model: string;
  readonly requests: number;
  readonly amounts: Amounts;
  readonly costNanoUsd: NanoUsd;
}

/** The same with the cost by the list's price. */
export interface RepricedUse extends Omit<ModelUse, "amounts"> {
  readonly wouldNanoUsd: NanoUsd;
  readonly verdict: Verdict;
}

/** Verdicts with which a price may still be taken. */
const OPEN: ReadonlySet<Verdict> = new Set(["taken", "waits"]);

/**
 * Returns the uses of models whose price the list changes, the largest difference first. Each cost changes by the ratio of
 * both prices for the sum of its tokens, so that factors, hours and the markup in it stay. Prices by the length of a
 * prompt are those of the average one.
 */
export function reportUse(
  proposals: readonly Proposal[],
  known: ReadonlyMap<string, ModelCard>,
  uses: readonly ModelUse[],
): readonly RepricedUse[] {
  const changes = new Map(
    proposals.flatMap((one) => (one.field === "price" ? [[one.id, one] as const] : [])),
  );
  const found = uses.flatMap(({ amounts, ...use }): readonly RepricedUse[] => {
    const change = changes.get(use.model);
    const after = change?.card.price;
    if (!change || !after || !OPEN.has(change.verdict)) return [];
    const before = known.get(use.model)?.price ?? null;
    const bill = (price: Price) => sumBill(listBillLines(price, amounts, Math.max(1, use.requests)), 1);
    const was = before === null ? 0 : bill(before);
    const would = was === 0 ? bill(after) : (use.costNanoUsd * bill(after)) / was;
    return [{ ...use, wouldNanoUsd: Math.round(would), verdict: change.verdict }];
  });
  const difference = ({ costNanoUsd, wouldNanoUsd }: RepricedUse) => Math.abs(wouldNanoUsd - costNanoUsd);
  return found.toSorted((one, other) => difference(other) - difference(one));
}
