// Prices of some hours of the week: they apply by the clock, are held if a call may meet them, and are shown.
import { describe, expect, test } from "bun:test";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { modelView } from "../../src/catalogue/model-view.ts";
import { priceCardAt, priceCardWithin } from "../../src/core/money/schedule.ts";
import { readSettings } from "../harness/settings.ts";

const HOUR_MS = 3_600_000;
const USUAL = "input: 1, output: 4, cached_input: 0.1, tiers: [{ above_tokens: 1000, input: 2, output: 6 }]";
const BUSY = `{ days: [mon, tue, wed, thu, fri], from: "01:00", to: "04:00", input: 2, output: 8 }`;
const NIGHT = `{ from: "22:00", to: "24:00", input: 0.5, output: 2, cached_input: 0.05 }`;

function catalogueAt(time: string, price = `{ ${USUAL}, hours: [${BUSY}, ${NIGHT}] }`) {
  const text = `providers: { Own: { base_url: "http://own.example", models: [{ name: m, price: ${price} }] } }`;
  return buildCatalogue({ ...readSettings(text), nowMs: Date.parse(time) });
}

function cardAt(time: string) {
  const [card] = catalogueAt(time).list();
  if (card === undefined) throw new Error("The model is not there.");
  return card;
}

const TUESDAY = "2026-12-01";

test.each([
  [`${TUESDAY}T00:59:59Z`, 1],
  [`${TUESDAY}T01:00:00Z`, 2],
  [`${TUESDAY}T03:59:59Z`, 2],
  [`${TUESDAY}T04:00:00Z`, 1],
  ["2026-12-05T02:00:00Z", 1],
  ["2026-12-05T23:59:59Z", 0.5],
])("at %s a million tokens cost %d USD, until the catalogue says", (time, usd) => {
  const card = cardAt(time);
  expect(card.price?.input).toBe(usd);
  expect(priceCardAt(cardAt(`${TUESDAY}T12:00:00Z`), Date.parse(time)).price).toEqual(card.price);
  const { changesAtMs } = catalogueAt(time);
  expect(cardAt(new Date(changesAtMs).toISOString()).price?.input).not.toBe(usd);
  expect(cardAt(new Date(changesAtMs - 1).toISOString()).price?.input).toBe(usd);
});

test("rates that an hour doesn't name stay, and long prompts cost as many times more as others", () => {
  expect(cardAt(`${TUESDAY}T02:00:00Z`).price).toMatchObject({
    input: 2,
    output: 8,
    cachedInput: 0.1,
    tiers: [{ aboveTokens: 1000, input: 4, output: 12 }],
  });
});

test("the highest price that a call may meet is held", () => {
  const card = cardAt(`${TUESDAY}T00:00:00Z`);
  const hold = (time: string, hours: number) => {
    const fromMs = Date.parse(time);
    const { input, output, tiers } = priceCardWithin(card, fromMs, fromMs + hours * HOUR_MS).price ?? {};
    return [input, output, tiers?.[0]?.input];
  };
  expect(hold(`${TUESDAY}T00:00:00Z`, 0.5)).toEqual([1, 4, 2]);
  expect(hold(`${TUESDAY}T00:00:00Z`, 1)).toEqual([2, 8, 4]);
  expect(hold(`${TUESDAY}T03:59:00Z`, 1)).toEqual([2, 8, 4]);
  expect(hold(`${TUESDAY}T22:30:00Z`, 1)).toEqual([0.5, 2, 1]);
  expect(hold(`${TUESDAY}T22:30:00Z`, Number.POSITIVE_INFINITY)).toEqual([2, 8, 4]);
});

test("the list of models shows the usual price and those of other hours at any hour", () => {
  const { pricing } = modelView(cardAt(`${TUESDAY}T02:00:00Z`));
  expect(pricing).toMatchObject({
    input: 1,
    output: 4,
    hours: [
      { days: ["mon", "tue", "wed", "thu", "fri"], from: "01:00", to: "04:00", input: 2, output: 8 },
      { from: "22:00", to: "24:00", input: 0.5, cached_input: 0.05 },
    ],
  });
});

describe("is refused with its place", () => {
  test.each([
    [`{ from: "4:00", to: "05:00", input: 1 }`, /hours\[0\]\.from: expected a time like 01:00/],
    [`{ from: "04:00", to: "24:30", input: 1 }`, /hours\[0\]\.to: expected a time/],
    [`{ from: "22:00", to: "04:00", input: 1 }`, /hours\[0\]: from must be before to/],
    [`{ days: [monday], from: "01:00", to: "04:00" }`, /hours\[0\]\.days/],
    [`${BUSY}, { days: [fri], from: "03:00", to: "05:00" }`, /hours\[1\] overlaps hours\[0\]/],
    [`{ from: "01:00", to: "02:00", input: 20000 }`, /input/],
  ])("%s", (hours, message) => {
    expect(() => catalogueAt(TUESDAY, `{ ${USUAL}, hours: [${hours}] }`)).toThrow(message);
  });
});
