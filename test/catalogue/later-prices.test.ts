// Announced prices: each applies from its date on, also in a gateway that is running then.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LiveConfiguration } from "../../src/app/start/live-configuration.ts";
import { openStore } from "../../src/app/start/open-store.ts";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { buildCards } from "../../src/catalogue/rows.ts";
import type { Settings } from "../../src/core/settings.ts";
import { Health } from "../../src/health/health.ts";
import { loadText, readSettings, requireSettings } from "../harness/settings.ts";

const MARCH = Date.parse("2027-03-01T00:00:00Z");
const JUNE = Date.parse("2027-06-01T00:00:00Z");
const LATER = "[{ from: 2027-06-01, input: 4, output: 8 }, { from: 2027-03-01, input: 3, output: 6 }]";
const OWN = (model: string) => `providers:
  Own: { base_url: "http://own.example", models: [{ name: m, ${model} }] }
  OpenAI: { keys: [k] }`;

function priceOf(settings: Settings, nowMs: number, id = "Own#m"): number | null {
  const found = buildCatalogue({ ...settings, nowMs }).resolve(id);
  return found.kind === "card" ? (found.card.price?.input ?? null) : null;
}

describe("a future price", () => {
  test("applies from its date on, whatever the order of rows", () => {
    const settings = readSettings(OWN(`price: { input: 2, output: 4 }, later_prices: ${LATER}`));
    const times = [0, MARCH - 1, MARCH, JUNE - 1, JUNE, JUNE * 2];
    expect(times.map((nowMs) => priceOf(settings, nowMs))).toEqual([2, 2, 3, 3, 4, 4]);
    const providers = settings.providers.filter(({ name }) => name === "Own");
    expect(buildCatalogue({ ...settings, providers, nowMs: MARCH }).changesAtMs).toBe(JUNE);
    expect(buildCatalogue({ ...settings, providers, nowMs: JUNE }).changesAtMs).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  test("may be the first known price", () => {
    const settings = readSettings(OWN(`later_prices: ${LATER}`));
    expect([priceOf(settings, 0), priceOf(settings, MARCH)]).toEqual([null, 3]);
  });

  test("is replaced by the operator's own price, which stays", () => {
    const row = { id: "OpenAI#gpt-5.4", released: null, context: 10, output: 5, capabilities: [] };
    const prices = {
      price: { input: 2, output: 15 },
      later_prices: [{ from: "2027-03-01", input: 3, output: 6 }],
    };
    const operatorModels = buildCards([{ ...row, ...prices }]);
    const change = (text: string) => ({ ...readSettings(`${OWN("context: 1")}\n${text}`), operatorModels });
    const id = "OpenAI#gpt-5.4";
    expect(priceOf(change(""), MARCH, id)).toBe(3);
    const own = 'models: { "OpenAI#gpt-5.4": { price: { input: 1, output: 2 } } }';
    expect(priceOf(change(own), MARCH, id)).toBe(1);
    const dated = `models: { "OpenAI#gpt-5.4": { later_prices: ${LATER} } }`;
    expect([MARCH - 1, MARCH, JUNE].map((nowMs) => priceOf(change(dated), nowMs, id))).toEqual([2, 3, 4]);
  });

  test("is inherited by a model declared like another", () => {
    const rows = [
      {
        id: "OpenAI#new",
        released: null,
        context: 10,
        output: 5,
        capabilities: [],
        price: { input: 2, output: 4 },
        later_prices: [{ from: "2027-03-01", input: 3, output: 6 }],
      },
    ];
    const files = { "c.json": JSON.stringify(rows) };
    const settings = requireSettings(loadText(`catalogue: c.json\n${OWN('like: "OpenAI#new"')}`, { files }));
    expect([priceOf(settings, 0), priceOf(settings, MARCH)]).toEqual([2, 3]);
  });

  test.each([
    ["[{ from: 2027-02-30, input: 1, output: 2 }]", "later_prices[0].from: expected a date like 2027-01-31"],
    ["[{ input: 1, output: 2 }]", "later_prices[0].from: this field is missing"],
    ["[{ from: 2027-03-01, input: 1 }]", "later_prices[0]: the field output is missing"],
    [`${LATER.slice(0, -1)}, { from: 2027-03-01, input: 1, output: 2 }]`, "two prices start on 2027-03-01"],
    ["[{ from: 2027-03-01, input: 1, output: 2, cached_input: 3 }]", "cached_input 3 is higher"],
    ["[]", "later_prices: expected a list of 1 to 20 prices"],
  ])("%s is refused with its place", (prices, says) => {
    const text = OWN(`price: { input: 2, output: 4 }, later_prices: ${prices}`);
    expect(() => readSettings(text)).toThrow(says);
    const change = `${OWN("context: 9")}\nmodels: { "OpenAI#gpt-5.4": { later_prices: ${prices} } }`;
    expect(() => readSettings(change)).toThrow(says);
  });

  test("a hundred times the known price is refused as a wrong unit", () => {
    const text =
      'models: { "OpenAI#gpt-5.4": { later_prices: [{ from: 2027-03-01, input: 2500, output: 9 }] } }';
    expect(() => readSettings(text)).toThrow(/later_prices\[0\].*by a factor of 100 or more/);
  });
});

const directory = mkdtempSync(join(tmpdir(), "poundkey-prices-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("a running gateway switches to the price of the day and keeps its knowledge of credentials", async () => {
  const settings = readSettings(OWN(`price: { input: 2, output: 4 }, later_prices: ${LATER}`));
  const opened = await openStore(`sqlite:${join(directory, "poundkey.db")}`, undefined);
  const clock = { now: MARCH - 1, nowMs: () => clock.now };
  const health = new Health(() => {});
  const fetch = () => Promise.reject(new Error("nobody is called"));
  const live = new LiveConfiguration(settings, opened, {
    health,
    log: () => {},
    fetch,
    clock,
    deadlines: clock,
  });
  const priceNow = () => {
    const found = live.snapshot.catalogue.resolve("Own#m");
    return found.kind === "card" ? found.card.price?.input : null;
  };
  const [credential] = settings.providers[0]?.credentials ?? [];
  const card = live.snapshot.catalogue.list().find(({ id }) => id === "Own#m");
  if (!credential || !card) throw new Error("The model is not there.");
  const known = health.key({ card, credential });
  const { snapshot } = live;
  expect([priceNow(), live.snapshot === snapshot]).toEqual([2, true]);
  clock.now = MARCH;
  expect(priceNow()).toBe(3);
  clock.now = JUNE;
  expect(priceNow()).toBe(4);
  expect(health.key({ card, credential })).toBe(known);
  await opened.store.close();
});

test("the introductory prices of Gemini end on their days, on Vertex and OpenRouter too", () => {
  const priceAt = (id: string, time: string) => {
    const yaml =
      "providers: { Google: { keys: [k] }, OpenRouter: { keys: [k] }, Vertex: { project: p, location: global, service_account: metadata } }";
    const found = buildCatalogue({ ...readSettings(yaml), nowMs: Date.parse(time) }).resolve(id);
    return found.kind === "card" ? [found.card.price?.input, found.card.price?.output] : [];
  };
  const doubled = ["Google#gemini-4-argon", "Vertex#gemini-4-argon"];
  const carbon = ["Google#gemini-4-carbon", "Vertex#gemini-4-carbon", "OpenRouter#google/gemini-4-carbon"];
  for (const id of [...doubled, ...carbon]) {
    expect([id, ...priceAt(id, "2026-11-30T23:59:59Z")]).toEqual([id, 2, 10]);
    expect([id, ...priceAt(id, "2026-12-01T00:00:00Z")]).toEqual([id, 4, 20]);
  }
  for (const provider of ["Google", "Vertex"]) {
    expect(priceAt(`${provider}#gemini-3.8-flash`, "2026-12-31T23:59:59Z")).toEqual([0.75, 3.75]);
    expect(priceAt(`${provider}#gemini-3.8-flash`, "2027-01-01T00:00:00Z")).toEqual([1.5, 7.5]);
  }
});

test("the price of a service changes on its day, and the model's others stay", () => {
  const settings = readSettings("providers: { OpenAI: { keys: [k] } }");
  const pricesAt = (time: string) => {
    const found = buildCatalogue({ ...settings, nowMs: Date.parse(time) }).resolve("OpenAI#gpt-6.2-sol");
    const price = found.kind === "card" ? found.card.price : null;
    const tiers = ["priority", "ultrafast", "flex"] as const;
    return [price?.input, price?.tiers?.[0]?.input, ...tiers.map((tier) => price?.service?.get(tier)?.input)];
  };
  expect(pricesAt("2027-02-28T23:59:59Z")).toEqual([2, 4, 4, 6, undefined]);
  expect(pricesAt("2027-03-01T00:00:00Z")).toEqual([2, 4, 4, 12, undefined]);
});
