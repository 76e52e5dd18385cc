// Lists of our own form: what a stranger may write in one, and what refuses it whole.
import { expect, test } from "bun:test";
import { FeedError } from "../../../src/catalogue/feeds/feed.ts";
import { checkOrder } from "../../../src/catalogue/feeds/list-order.ts";
import { makeRows, nextSerial, writeList } from "../../../src/catalogue/feeds/make-list.ts";
import { isPoundkeyList, readPoundkeyList } from "../../../src/catalogue/feeds/poundkey-list.ts";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { parseJson } from "../../../src/core/json/json.ts";
import type { LastList } from "../../../src/core/money/taken-mark.ts";

const NOW_MS = Date.parse("2026-11-28T12:00:00Z");
const ROW = {
  id: "OpenAI#gpt-99",
  owner: "OpenAI",
  released: "2026-11-27",
  context: 1000,
  output: 100,
  price: { input: 1, output: 2 },
  capabilities: ["tools"],
};
const HEAD = { poundkey_catalogue: 1, serial: 118, as_of: "2026-11-28" };

const readText = (text: string) => {
  const value = parseJson(text);
  if (!isPoundkeyList(value)) throw new Error("no list of our own");
  return readPoundkeyList(value, NOW_MS);
};
const read = (rows: readonly unknown[], head: object = {}) =>
  readText(JSON.stringify({ ...HEAD, ...head, models: rows }));

/** Returns the cause of the refusal, or null. */
function refuse(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof FeedError) return error.why;
    throw error;
  }
}

test("a row has its own day, else the list's", () => {
  const list = read([ROW, { ...ROW, id: "OpenAI#gpt-98", as_of: "2026-11-20" }], { source: "us" });
  expect([list.serial, list.asOf, list.source, list.leftOut]).toEqual([118, "2026-11-28", "us", 0]);
  expect(list.rows.map(({ card, asOf }) => [card.id, asOf])).toEqual([
    ["OpenAI#gpt-99", "2026-11-28"],
    ["OpenAI#gpt-98", "2026-11-20"],
  ]);
});

test("a row is left out and counted if it has something that changes what its price means", () => {
  const strange = [
    { price: { input: 1, output: 2, per_thought: 1 } },
    { price: { input: 1, output: 2, tiers: [{ above_tokens: 5, input: 1, output: 2, mood: 1 }] } },
    { price: { input: 1, output: 2, hours: [{ from: "01:00", to: "02:00", input: 1, moon: 1 }] } },
    { price: { input: 1, output: 2, hours: [{ days: ["caturday"], from: "01:00", to: "02:00" }] } },
    { price: { input: 1, output: 2, service: { warp: { input: 1 } } } },
    { price: { input: 1, output: 2, service: { flex: { warp: 1 } } } },
    { later_prices: [{ from: "2026-12-01", input: 1, output: 2, per_thought: 1 }] },
    { capabilities: ["telepathy"] },
    { operations: ["dreams"] },
    { dialects: ["esperanto"] },
    { kind: "oracle" },
  ].map((more, at) => ({ ...ROW, ...more, id: `OpenAI#strange-${at}` }));
  const text = JSON.stringify({ ...HEAD, models: [...strange, ROW] });
  const proto = text.replace('"models":[', `"models":[{"id":"A#b","price":{"__proto__":{"input":9}}},`);
  const list = readText(proto);
  expect([list.leftOut, list.rows.map(({ card }) => card.id)]).toEqual([12, [ROW.id]]);
});

test("other unknown fields and providers are ignored, and prototypes stay", () => {
  const text = JSON.stringify({ ...HEAD, mood: "good", models: [{ ...ROW, id: "Nobody#x", mood: 1 }] });
  const list = readText(text.replace('"mood":1', '"__proto__":{"price":null},"constructor":1'));
  expect(list.rows.map(({ card }) => [card.id, card.price?.input])).toEqual([["Nobody#x", 1]]);
  expect(Reflect.get({}, "price")).toBeUndefined();
});

test("a head that can't be one is refused", () => {
  const heads: [object, string][] = [
    [{ poundkey_catalogue: 2 }, "form"],
    [{ poundkey_catalogue: "1" }, "form"],
    [{ serial: 0 }, "form"],
    [{ serial: 1.5 }, "form"],
    [{ serial: 2 ** 53 }, "form"],
    [{ serial: "118" }, "form"],
    [{ as_of: "2026-02-30" }, "form"],
    [{ as_of: undefined }, "form"],
    [{ as_of: "2026-12-01" }, "value"],
    [{ source: "a\u202eb" }, "form"],
    [{ source: 5 }, "form"],
    [{ models: {} }, "form"],
    [{ models: [] }, "form"],
    [{ models: Array(50_001).fill(ROW) }, "form"],
  ];
  for (const [head, why] of heads)
    expect([head, refuse(() => readText(JSON.stringify({ ...HEAD, models: [ROW], ...head })))]).toEqual([
      head,
      why,
    ]);
  expect(refuse(() => read([ROW], { as_of: "2026-11-30" }))).toBeNull();
});

test("a value that can't be refuses the whole list, and nothing of a strange id is shown", () => {
  const price = (text: string) =>
    JSON.stringify({ ...HEAD, models: [ROW] }).replace('"input":1', `"input":${text}`);
  for (const text of ["-1", "-0", "1e400", "1e308", '"1e3"', "null", "10001", "[1]"])
    expect([text, refuse(() => readText(price(text)))]).toEqual([text, "value"]);
  const rows: object[] = [
    { id: "OpenAI#a\u0000b" },
    { id: "OpenAI#a\u202eb" },
    { id: "OpenAI#a b" },
    { id: "OpenAI#a\u2028b" },
    { id: "__proto__" },
    { id: 5 },
    { id: `OpenAI#${"a".repeat(300)}` },
    { context: 99 },
    { context: -1 },
    { output: 1e308 },
    { shutdown: "soon" },
    { as_of: "soon" },
    { successor: "a\u202eb" },
    { like: 5 },
    { owner: "a\u0007" },
    { released: "soon" },
    { price: {} },
    { price: { input: 1 } },
    { price: undefined },
    { price: "1" },
    { price: { input: 1, output: 2, per_request: "1" } },
    { price: { input: 1, output: 2, tiers: {} } },
    { price: { input: 1, output: 2, tiers: [{ above_tokens: "5", input: 1, output: 2 }] } },
    { price: { input: 1, output: 2, hours: [5] } },
    { price: { input: 1, output: 2, hours: [{ days: 5, from: "01:00", to: "02:00" }] } },
    { price: { input: 1, output: 2, service: { flex: "half" } } },
    { later_prices: {} },
    { later_prices: [{ from: "2026-12-01", input: -1, output: 2 }] },
    { capabilities: null, operations: [] },
  ];
  for (const row of rows) expect([row, refuse(() => read([{ ...ROW, ...row }]))]).toEqual([row, "value"]);
  for (const row of [null, 5, "row", [ROW]]) expect(refuse(() => read([row]))).toBe("value");
  expect(refuse(() => read([ROW, { ...ROW, id: "openai#GPT-99" }]))).toBe("value");
  expect(() => read([{ ...ROW, id: "a\u202eb" }])).toThrow("row 1: its id can't be one");
});

test("a list is refused if it is older than the last one, differs from it under the same number, or isn't the pinned one", () => {
  const list = { serial: 118, asOf: "2026-11-28", sha256: "aa" };
  const last = (serial?: number, sha256?: string): LastList => ({
    asOf: "2026-11-01",
    ...(serial === undefined ? {} : { serial }),
    ...(sha256 === undefined ? {} : { sha256 }),
  });
  const rows: [LastList | undefined, number | undefined, string | null, string | null][] = [
    [undefined, undefined, null, null],
    [last(), undefined, null, null],
    [last(117, "bb"), undefined, null, null],
    [last(118, "aa"), undefined, null, null],
    [last(118, "bb"), undefined, null, "reused"],
    [last(119, "bb"), undefined, null, "older"],
    [last(119, "bb"), 118, null, "older"],
    [undefined, 118, null, null],
    [undefined, 117, null, "pinned"],
    [last(117, "bb"), 119, null, "pinned"],
    [undefined, undefined, "2026-11-28", null],
    [undefined, undefined, "2026-11-29", "older"],
  ];
  for (const [passed, pin, builtInDay, why] of rows) {
    const row = { passed, pin, builtInDay };
    expect([row, refuse(() => checkOrder(list, { last: passed, pin, builtInDay }))]).toEqual([row, why]);
  }
});

test("the built-in rows make a list that is read as the same rows", () => {
  const builtIn = { cards: loadShippedCards(), day: "2026-11-28" };
  const made = makeRows({ builtIn, files: [], only: [] });
  const list = readText(writeList(made, 2026112800));
  expect([list.serial, list.asOf, list.leftOut]).toEqual([2026112800, "2026-11-28", 0]);
  expect(list.rows.map(({ card }) => card)).toEqual([...builtIn.cards]);
});

test("rows of files replace those before them, with their own days", () => {
  const [first, second, third] = loadShippedCards();
  if (!first || !second || !third) throw new Error("the catalogue has three models");
  const builtIn = { cards: [first, second, third], day: "2026-11-28" };
  const newer = { cards: [{ ...second, outputTokensMax: 7 }], day: "2026-11-30" };
  const made = makeRows({ builtIn, files: [newer], only: [second.id, third.id.toUpperCase()] });
  const { asOf, rows } = readText(writeList(made, 1));
  expect(asOf).toBe("2026-11-30");
  expect(rows.map((row) => [row.card.id, row.asOf, row.card.outputTokensMax])).toEqual([
    [second.id, "2026-11-30", 7],
    [third.id, "2026-11-28", third.outputTokensMax],
  ]);
});

test("the next number is the day's first, or the one after the last", () => {
  const rows: [number | null, number | null][] = [
    [null, 2026112800],
    [118, 2026112800],
    [2026112800, 2026112801],
    [2026113005, 2026113006],
    [2026112899, null],
    [Number.MAX_SAFE_INTEGER, null],
  ];
  for (const [last, next] of rows) expect([last, nextSerial("2026-11-28", last)]).toEqual([last, next]);
});
