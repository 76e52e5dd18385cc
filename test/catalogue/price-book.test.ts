// The ids of prices: the same price has one id, every other price another, and what an id stands for is kept.
import { expect, test } from "bun:test";
import { writePrices } from "../../src/app/upkeep/price-history.ts";
import { buildPrice } from "../../src/catalogue/price.ts";
import { findKeptPrice, PriceBook } from "../../src/catalogue/price-book.ts";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { openMemoryStore, standingClock } from "../harness/samples.ts";

const [CARD] = loadShippedCards();
if (CARD === undefined) throw new Error("There are no cards.");
const cost = (input: number, output: number) => ({ ...CARD, price: buildPrice({ input, output }) });

test("the same price has the same id everywhere, and another price has another", () => {
  const here = new PriceBook();
  const there = new PriceBook();
  expect(here.identify(cost(1, 2))).toBe(String(there.identify(cost(1, 2))));
  expect(here.identify(cost(1, 2))).not.toBe(String(here.identify(cost(1, 3))));
  expect(here.identify({ ...CARD, price: null })).toBeUndefined();
});

test("several nodes keep what their ids stand for beside each other, once", async () => {
  const store = await openMemoryStore();
  const clock = standingClock(1000);
  const nodes = [new PriceBook(), new PriceBook()];
  const [first = "", second = ""] = nodes.map((book, at) => String(book.identify(cost(1, 2 + at))));
  await Promise.all(nodes.map((priceBook) => writePrices({ store, clock, priceBook })));
  clock.atMs = 2000;
  nodes[1]?.identify(cost(1, 2));
  for (const priceBook of nodes) await writePrices({ store, clock, priceBook });
  const kept = await store.setting("price_history");
  expect(findKeptPrice(kept, first)).toMatchObject({
    model: CARD.id,
    atMs: 1000,
    price: { input: 1, output: 2 },
  });
  expect(findKeptPrice(kept, second)).toMatchObject({ price: { input: 1, output: 3 } });
  expect(findKeptPrice(kept, "other")).toBeNull();
  expect(nodes.map(({ hasNew }) => hasNew)).toEqual([false, false]);
  await store.close();
});
