// Factors on prices: of a region by the provider's address, of a contract, and of a credential. Prices that end on a day.
import { describe, expect, test } from "bun:test";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { compareCards } from "../../src/catalogue/compare.ts";
import { modelView } from "../../src/catalogue/model-view.ts";
import type { Settings } from "../../src/core/settings.ts";
import { readSettings } from "../harness/settings.ts";

const NOW = Date.parse("2026-12-01T12:00:00Z");
const DAY_MS = 86_400_000;

function find(settings: Settings, id: string, nowMs = NOW) {
  const found = buildCatalogue({ ...settings, nowMs }).resolve(id);
  if (found.kind !== "card") throw new Error(`${id} is not there.`);
  return found.card;
}

const priceIn = (providers: string, id: string, more = "") =>
  find(readSettings(`providers: { ${providers} }\n${more}`), id).price;

describe("a region costs a tenth more", () => {
  const GLOBAL = { input: 5, output: 30, cachedInput: 0.5 };

  test.each([
    ["https://api.openai.com/v1", 1],
    ["https://eu.api.openai.com/v1", 1.1],
    ["https://us.api.openai.com/v1", 1.1],
    ["https://eu.api.openai.com.example/v1", 1],
  ])("on OpenAI's host %s times %d", (url, factor) => {
    const { input, output, cachedInput, tiers, perSearch } =
      priceIn(`OpenAI: { keys: [k], base_url: "${url}" }`, "OpenAI#gpt-5.5") ?? {};
    expect([input, output, cachedInput]).toEqual(
      [GLOBAL.input, GLOBAL.output, GLOBAL.cachedInput].map((usd) => Number((usd * factor).toFixed(6))),
    );
    expect(tiers?.[0]?.input).toBe(Number((10 * factor).toFixed(6)));
    expect(perSearch).toBe(0.01);
  });

  test("for newer models alone", () => {
    const eu = 'OpenAI: { keys: [k], base_url: "https://eu.api.openai.com/v1" }';
    expect(priceIn(eu, "OpenAI#gpt-5.1")?.input).toBe(1.25);
    expect(priceIn(eu, "OpenAI#gpt-6.1-sol")?.input).toBe(2.2);
  });

  test("whatever the provider is called", () => {
    const own = `Europe: { base_url: "https://eu.api.openai.com/v1", keys: [k], models: [{ name: gpt-5.5, like: "OpenAI#gpt-5.5" }] }`;
    expect(priceIn(own, "Europe#gpt-5.5")?.input).toBe(5.5);
  });

  test.each([
    ["global", "claude-sonnet-4-5@20250929", 3],
    ["europe-west4", "claude-sonnet-4-5@20250929", 3.3],
    ["eu", "claude-sonnet-4-5@20250929", 3.3],
    ["us-central1", "gemini-3.5-flash", 1.65],
    ["global", "gemini-3.5-flash", 1.5],
    ["us-central1", "gemini-2.5-flash-lite-preview-09-2025", undefined],
  ])("on Vertex in %s for %s", (location, name, usd) => {
    const settings = readSettings(
      `providers: { Vertex: { project: p, location: ${location}, service_account: metadata } }`,
    );
    const found = buildCatalogue({ ...settings, nowMs: NOW }).resolve(`Vertex#${name}`);
    expect(found.kind === "card" ? found.card.price?.input : undefined).toBe(usd);
  });

  test("but not what the operator states", () => {
    const eu = 'OpenAI: { keys: [k], base_url: "https://eu.api.openai.com/v1" }';
    const stated = 'models: { "OpenAI#gpt-5.5": { price: { input: 4, output: 20 } } }';
    expect(priceIn(eu, "OpenAI#gpt-5.5", stated)?.input).toBe(4);
  });
});

describe("price_factor", () => {
  const OWN = (fields: string) =>
    `providers: { Own: { base_url: "http://own.example", ${fields}, models: [{ name: m, price: { input: 1, output: 4, per_search: 0.01, tiers: [{ above_tokens: 10, input: 2, output: 8 }] }, later_prices: [{ from: 2027-01-01, input: 2, output: 5 }] }] } }`;

  test("multiplies all prices of its provider, shown, chosen and later", () => {
    const card = find(readSettings(OWN("price_factor: 0.85, keys: [k]")), "Own#m");
    expect(card.price).toMatchObject({ input: 0.85, output: 3.4, perSearch: 0.0085 });
    expect(card.price?.tiers?.[0]).toMatchObject({ input: 1.7, output: 6.8 });
    expect(modelView(card)).toMatchObject({
      pricing: { input: 0.85, output: 3.4 },
      later_pricing: [{ from: "2027-01-01", input: 1.7, output: 4.25 }],
    });
  });

  test("hidden from the list of models alone", () => {
    const settings = readSettings(OWN("price_factor: { factor: 0.85, shown: hidden }, keys: [k]"));
    const card = find(settings, "Own#m");
    expect(card.price?.input).toBe(0.85);
    expect(modelView(card)).toMatchObject({
      pricing: { input: 1, output: 4 },
      later_pricing: [{ input: 2 }],
    });
  });

  test("of its credentials counts at the highest, because any of them may be called", () => {
    const keys = "keys: [{ key: a, price_factor: 0.5 }, { key: b, price_factor: 1.2 }]";
    expect(find(readSettings(OWN(`price_factor: 2, ${keys}`)), "Own#m").price?.input).toBe(2.4);
    const all = "keys: [{ key: a, price_factor: 0.5 }, { key: b, price_factor: 0.6 }]";
    expect(find(readSettings(OWN(all)), "Own#m").price?.input).toBe(0.6);
  });

  test("is in what catalogue diff shows", () => {
    const [change] = compareCards(
      readSettings(OWN("keys: [k]")),
      readSettings(OWN("price_factor: 1.5, keys: [k]")),
    );
    expect(change?.fields).toContainEqual({ field: "pricing.input", before: "1", after: "1.5" });
  });

  test.each([
    ["price_factor: 0, keys: [k]", /price_factor: expected a number above 0/],
    ["price_factor: -1, keys: [k]", /price_factor/],
    ["price_factor: 0.1234567, keys: [k]", /price_factor/],
    ["keys: [{ key: a, price_factor: 0 }]", /keys/],
    ["unlisted_models: { hold_usd: 0.5 }, keys: [k]", /hold_usd: the provider reports no cost/],
    ["service_tier: default, keys: [k]", /service_tier: has no effect/],
  ])("%s is refused with its place", (fields, message) => {
    expect(() => readSettings(OWN(fields))).toThrow(message);
  });
});

describe("a price that ends on a day", () => {
  const OWN = (later: string) =>
    `providers: { Own: { base_url: "http://own.example", models: [{ name: m, price: { input: 5, output: 30 }, later_prices: ${later} }] } }`;
  const PROMOTION =
    "[{ from: 2026-12-10, until: 2026-12-31, input: 4, output: 20 }, { from: 2026-12-20, input: 3, output: 15 }]";

  test("counts from its first to its last day, and then the price before does", () => {
    const settings = readSettings(OWN(PROMOTION));
    const at = (time: string) => find(settings, "Own#m", Date.parse(time)).price?.input;
    expect(at("2026-12-09T23:59:59Z")).toBe(5);
    expect(at("2026-12-10T00:00:00Z")).toBe(4);
    expect(at("2026-12-20T00:00:00Z")).toBe(3);
    expect(at("2027-01-01T00:00:00Z")).toBe(3);
    const short = readSettings(OWN("[{ from: 2026-12-10, until: 2026-12-10, input: 4, output: 20 }]"));
    const shortAt = (time: string) => find(short, "Own#m", Date.parse(time)).price?.input;
    expect(["2026-12-10T23:59:59Z", "2026-12-11T00:00:00Z"].map(shortAt)).toEqual([4, 5]);
  });

  test("is shown with the price that follows, and a running gateway learns of both days", () => {
    const settings = readSettings(OWN("[{ from: 2026-12-10, until: 2026-12-31, input: 4, output: 20 }]"));
    const during = Date.parse("2026-12-15T00:00:00Z");
    expect(modelView(find(settings, "Own#m", during))).toMatchObject({
      pricing: { input: 4 },
      later_pricing: [{ from: "2027-01-01", input: 5, output: 30 }],
    });
    const changes = (nowMs: number) => buildCatalogue({ ...settings, nowMs }).changesAtMs;
    expect(changes(NOW)).toBe(Date.parse("2026-12-10T00:00:00Z"));
    expect(changes(during)).toBe(Date.parse("2026-12-31T00:00:00Z") + DAY_MS);
  });

  test("before its first day is refused", () => {
    const wrong = OWN("[{ from: 2026-12-10, until: 2026-12-09, input: 4, output: 20 }]");
    expect(() => readSettings(wrong)).toThrow(/later_prices\[0\]: until 2026-12-09 is before from/);
  });
});
