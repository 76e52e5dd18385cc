// Cards of models for tests, each with the few fields that matter to a test.
import type { ModelCard, Price } from "../../src/core/models/card.ts";
import { listBillLines, sumBill } from "../../src/core/money/price.ts";
import type { Amounts } from "../../src/core/money/units.ts";

/** A listed card of which nothing but its id (`Provider#name`) is known, apart from the given fields. */
export function makeModelCard(id: string, fields: Partial<ModelCard> = {}): ModelCard {
  const [provider = "", ...name] = id.split("#");
  return {
    id,
    provider,
    name: name.join("#"),
    created: 0,
    ownedBy: provider,
    contextTokensMax: null,
    outputTokensMax: null,
    price: null,
    capabilities: new Set(),
    listed: true,
    fallbacks: [],
    ...fields,
  };
}

/** The cost of an answer in nano-dollars by the lines of its bill. */
export function cost(price: Price | null, amounts: Amounts, markup: number, calls = 1): number {
  return price === null ? 0 : sumBill(listBillLines(price, amounts, calls), markup);
}
