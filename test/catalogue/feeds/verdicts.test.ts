// The table of verdicts: what a list of prices may change by itself, what waits for a person, and what is never taken.
import { expect, test } from "bun:test";
import { compareFeed, type FeedBasis } from "../../../src/catalogue/feeds/compare-feed.ts";
import { listReliances } from "../../../src/catalogue/feeds/ends.ts";
import type { FeedRow, StatedPrice } from "../../../src/catalogue/feeds/feed.ts";
import { findPriceChange } from "../../../src/catalogue/feeds/price-change.ts";
import { readFeed } from "../../../src/catalogue/feeds/read-feed.ts";
import { isAccepted, type Proposal } from "../../../src/catalogue/feeds/verdict.ts";
import { buildPrice, type PriceFields, priceView } from "../../../src/catalogue/price.ts";
import { CHAT_ONLY, type ModelCard } from "../../../src/core/models/card.ts";
import { makeModelCard } from "../../harness/cards.ts";

const NOW_MS = Date.parse("2026-12-10T15:00:00Z");
const BARE: PriceFields = { input: 2, output: 10 };
/** All that a price of OpenAI's has, of which lists state the first two or three rates. */
const WHOLE: PriceFields = {
  input: 2,
  output: 10,
  cached_input: 0.2,
  cache_write: 2.5,
  cache_write_12h: 5,
  input_image: 3,
  per_search: 0.01,
  tiers: [{ above_tokens: 272_000, input: 4, output: 15, cached_input: 0.4 }],
  service: { priority: { input: 4, output: 20 }, flex: { input: 1, output: 5 } },
  hours: [{ from: "00:00", to: "08:00", input: 1, output: 5 }],
};

function judge(ours: PriceFields | null, stated: StatedPrice) {
  const change = findPriceChange(ours === null ? null : buildPrice(ours), stated);
  return change && { verdict: change.verdict, reason: change.reason, price: priceView(change.price) };
}

test("rates that move by one ratio take those with them that the list doesn't state, but no pieces", () => {
  const change = judge(WHOLE, { input: 2.4, output: 12 });
  expect(change).toMatchObject({ verdict: "taken", reason: null });
  expect(change?.price).toMatchObject({
    input: 2.4,
    output: 12,
    cached_input: 0.24,
    cache_write: 3,
    cache_write_12h: 6,
    input_image: 3.6,
    per_search: 0.01,
    tiers: [{ above_tokens: 272_000, input: 4.8, output: 18, cached_input: 0.48 }],
    service: { priority: { input: 4.8, output: 24 }, flex: { input: 1.2, output: 6 } },
    hours: [{ from: "00:00", to: "08:00", input: 1.2, output: 6 }],
  });
});

test.each<[string, PriceFields | null, StatedPrice, Proposal["verdict"] | null, RegExp | null]>([
  ["a ratio of 2", WHOLE, { input: 4, output: 20 }, "taken", null],
  ["a ratio of a half", WHOLE, { input: 1, output: 5 }, "taken", null],
  ["a ratio that is right to 0.1 %", WHOLE, { input: 2.4, output: 12.01 }, "taken", null],
  ["one that is off by 0.2 %", WHOLE, { input: 2.4, output: 12.025 }, "waits", /doesn't state.*cached_input/],
  ["a ratio above 2", WHOLE, { input: 4.2, output: 21 }, "waits", /input and output move by more.*state/],
  [
    "a ratio of input alone",
    WHOLE,
    { input: 2.4 },
    "waits",
    /^input moved, and the list doesn't state output/,
  ],
  ["rates apart, nothing unstated", BARE, { input: 3, output: 12 }, "taken", null],
  [
    "rates apart, by more than 2",
    BARE,
    { input: 3, output: 25 },
    "waits",
    /^output moves by more than a factor/,
  ],
  [
    "rates apart, cached unstated",
    { ...BARE, cached_input: 1 },
    { input: 3, output: 12 },
    "waits",
    /cached_input/,
  ],
  [
    "rates apart, a service unstated",
    { ...BARE, service: { flex: { input: 1 } } },
    { input: 3, output: 12 },
    "waits",
    /doesn't state service flex/,
  ],
  ["pieces unstated", { ...BARE, per_search: 0.01 }, { input: 3, output: 12 }, "taken", null],
  ["a price for none", null, { input: 3, output: 12 }, "waits", /no price yet/],
  ["0 for another price", BARE, { input: 2, output: 0 }, "refused", /output would be 0/],
  [
    "a hundredth of a cached rate",
    { ...BARE, cached_input: 1 },
    { cached_input: 0.01 },
    "refused",
    /100 or more/,
  ],
  ["a hundredfold price", BARE, { input: 200, output: 1000 }, "refused", /100 or more/],
  ["the same price", WHOLE, { input: 2, output: 10, cached_input: 0.2 }, null, null],
  [
    "a tier whose bound differs by less than 1 %",
    { ...BARE, tiers: [{ above_tokens: 200_000, input: 4, output: 20 }] },
    { ...BARE, tiers: [{ above_tokens: 200_001, input: 4, output: 20 }] },
    null,
    null,
  ],
  [
    "a tier whose bound differs by more",
    { ...BARE, tiers: [{ above_tokens: 200_000, input: 4, output: 20 }] },
    { ...BARE, tiers: [{ above_tokens: 256_000, input: 3, output: 15 }] },
    "waits",
    /doesn't state above 200000/,
  ],
])("%s: %#", (_name, ours, stated, verdict, reason) => {
  const change = judge(ours, stated);
  expect<Proposal["verdict"] | null>(change?.verdict ?? null).toBe(verdict);
  if (reason !== null) expect(change?.reason).toMatch(reason);
});

const ROW: FeedRow = {
  id: "OpenAI#m",
  price: null,
  laterPrices: [],
  context: null,
  output: null,
  shutdown: null,
  capabilities: [],
};

function compare(cards: readonly ModelCard[], rows: readonly FeedRow[], given: Partial<FeedBasis> = {}) {
  const basis = {
    known: new Map(cards.map((card) => [card.id, card])),
    overlay: [],
    operatorIds: new Set<string>(),
    ignore: [],
    reliances: [],
    isOwn: false,
    builtInDay: "2026-11-28",
    nowMs: NOW_MS,
  };
  return compareFeed(rows, { ...basis, ...given }).proposals;
}

const pick = (proposals: readonly Proposal[]): readonly (readonly string[])[] =>
  proposals.map(({ field, verdict }) => [field, verdict]);
const card = (id: string, facts: Partial<ModelCard> = {}) =>
  makeModelCard(id, { price: buildPrice(BARE), operations: CHAT_ONLY, ...facts });

test.each([
  ["OpenAI#m", "2027-01-09", false, "taken"],
  ["OpenAI#m", "2027-01-08", false, "waits"],
  ["OpenAI#m", "2026-01-08", false, "waits"],
  ["Vertex#m", "2027-06-01", false, "not_an_end"],
  ["Bedrock#m", "2026-06-01", false, "not_an_end"],
  ["Google#m", "2027-06-01", false, "not_an_end"],
  ["Google#m", "2027-06-01", true, "taken"],
])("a date of %s, %s, in a list of our own form: %p, is %s", (id, shutdown, isOwn, verdict) => {
  const found = compare([card(id)], [{ ...ROW, id, shutdown }], { isOwn });
  expect(pick(found)).toEqual([["shutdown", verdict]]);
  expect(found.some((one) => isAccepted(one, { yes: true, older: true }))).toBe(verdict !== "not_an_end");
});

test("an end that leaves an alias, a group or fallbacks without a model waits, whichever of them ends last", () => {
  const cards = [card("OpenAI#a"), card("OpenAI#b"), card("OpenAI#c"), card("OpenAI#d")];
  const reliances = listReliances({
    aliases: {
      fast: "OpenAI#a",
      group: [
        { model: "OpenAI#b", weight: 1 },
        { model: "openai/c", weight: 1 },
      ],
      best: { selector: "best" },
    },
    overlay: [{ id: "OpenAI#a", disabled: false, fallbacks: ["OpenAI#d"] }],
    operatorModels: [],
  });
  const ends = (days: Readonly<Record<string, string>>) =>
    compare(
      cards,
      Object.entries(days).map(([name, shutdown]) => ({ ...ROW, id: `OpenAI#${name}`, shutdown })),
      { reliances },
    ).map(({ id, verdict }) => `${id} ${verdict}`);
  expect(ends({ a: "2027-06-01", d: "2027-06-01" })).toEqual(["OpenAI#a waits", "OpenAI#d waits"]);
  expect(ends({ b: "2027-06-01" })).toEqual(["OpenAI#b taken"]);
  expect(ends({ b: "2027-06-01", c: "2027-07-01" })).toEqual(["OpenAI#b taken", "OpenAI#c waits"]);
});

test.each<[string, Partial<FeedRow>, readonly (readonly string[])[]]>([
  [
    "both move by at most 2",
    { context: 2000, output: 50 },
    [
      ["context", "taken"],
      ["output", "taken"],
    ],
  ],
  [
    "one moves by more",
    { context: 2000, output: 250 },
    [
      ["context", "taken"],
      ["output", "waits"],
    ],
  ],
  [
    "one is impossible without the other",
    { context: 2500, output: 200 },
    [
      ["context", "waits"],
      ["output", "taken"],
    ],
  ],
  ["neither is possible", { context: 50, output: 80 }, []],
])("limits: %s", (_name, limits, verdicts) => {
  const known = card("OpenAI#m", { contextTokensMax: 1000, outputTokensMax: 100 });
  expect(pick(compare([known], [{ ...ROW, ...limits }]))).toEqual(verdicts);
});

test("a limit waits with the other if the two would contradict each other meanwhile", () => {
  const known = card("OpenAI#m", { contextTokensMax: 100, outputTokensMax: 90 });
  const found = compare([known], [{ ...ROW, context: 300, output: 150 }]);
  expect(pick(found)).toEqual([
    ["context", "waits"],
    ["output", "waits"],
  ]);
});

const LISTED = {
  id: "OpenAI#new",
  owner: "OpenAI",
  released: null,
  context: 1000,
  output: 100,
  capabilities: [],
};
const own = (row: object, asOf = "2026-12-09") =>
  readFeed("poundkey", { as_of: asOf, models: [{ ...LISTED, ...row }] }, new Map(), NOW_MS).rows;

test.each([
  ["its price", { price: { input: 1, output: 2 } }, "taken"],
  ["a rate of 0", { price: { input: 1, output: 0 } }, "waits"],
  ["a cached rate of 0", { price: { input: 1, output: 2, cached_input: 0 } }, "waits"],
  ["a price per image alone", { operations: ["images"], price: { per_image: 0.04 } }, "taken"],
  ["no price", { price: null }, "taken"],
])("a new model of our own form with %s comes whole", (_name, row, verdict) => {
  const [found, ...others] = compare([card("OpenAI#m")], own(row), { isOwn: true });
  expect(found).toMatchObject({ field: "model", verdict, isNew: true });
  expect(others).toEqual([]);
  expect(found?.adds?.price === null).toBe(row.price === null);
});

test("other lists' new models come without a price and first, and without dates that are no ends", () => {
  const rows: readonly FeedRow[] = [
    { ...ROW, price: { input: 3, output: 12 } },
    { ...ROW, id: "Vertex#new", price: { input: 3, output: 12 }, shutdown: "2027-06-01" },
    { ...ROW, id: "Unknown#new", price: { input: 3, output: 12 } },
  ];
  const found = compare([card("OpenAI#m"), card("Vertex#m")], rows);
  expect(found.map(({ id, field, verdict }) => `${id} ${field} ${verdict}`)).toEqual([
    "Vertex#new model taken",
    "Vertex#new price waits",
    "OpenAI#m price taken",
  ]);
  expect(found[0]?.adds).toMatchObject({ price: null });
  expect(found[0]?.adds?.shutdownDate).toBeUndefined();
});

test("what is from before the built-in rows is older, new models aside", () => {
  const known = card("OpenAI#new", { contextTokensMax: 1000, outputTokensMax: 100 });
  const row = { price: { input: 3, output: 12 } };
  const [older] = compare([known], own(row, "2026-11-27"), { isOwn: true });
  expect(older).toMatchObject({ verdict: "older", otherwise: "taken" });
  const accepted = [false, true].map((isOlder) => older && isAccepted(older, { yes: false, older: isOlder }));
  expect(accepted).toEqual([false, true]);
  expect(pick(compare([known], own({ ...row, as_of: "2026-11-28" }, "2026-11-27"), { isOwn: true }))).toEqual(
    [["price", "taken"]],
  );
  expect(pick(compare([card("OpenAI#m")], own(row, "2026-11-27"), { isOwn: true }))).toEqual([
    ["model", "taken"],
  ]);
  const free = own({ price: { input: 3, output: 0 } }, "2026-11-27");
  expect(pick(compare([known], free, { isOwn: true }))).toEqual([["price", "refused"]]);
});

test("an announced price that applies by now is compared, and doesn't hide the one that is taken", () => {
  const later = { fromMs: Date.parse("2026-12-01T00:00:00Z"), price: buildPrice({ input: 4, output: 20 }) };
  const known = card("OpenAI#m", { laterPrices: [later] });
  expect(compare([known], [{ ...ROW, price: { input: 4, output: 20 } }])).toEqual([]);
  const [found] = compare([known], [{ ...ROW, price: { input: 5, output: 25 } }]);
  expect(found).toMatchObject({ verdict: "taken", before: "input 4, output 20", card: { laterPrices: [] } });
});

test("nothing is proposed for what the operator states or ignores", () => {
  const row = { ...ROW, price: { input: 3, output: 12 }, shutdown: "2027-06-01" };
  const price = buildPrice(BARE);
  expect(
    pick(compare([card("OpenAI#m")], [row], { overlay: [{ id: "OpenAI#m", disabled: false, price }] })),
  ).toEqual([["shutdown", "taken"]]);
  expect(compare([card("OpenAI#m")], [row], { ignore: ["openai#*"] })).toEqual([]);
  expect(compare([card("OpenAI#other")], [row], { operatorIds: new Set(["OpenAI#m"]) })).toEqual([]);
});
