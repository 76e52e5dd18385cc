// Every chat model with every form of its price: its true cost is never above its hold, nor above its charge.
import { describe, expect, test } from "bun:test";
import { chooseDialects } from "../../../src/app/models/dialects.ts";
import { buildCatalogue } from "../../../src/catalogue/catalogue.ts";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import type { ModelCard, Price } from "../../../src/core/models/card.ts";
import { priceCallAt } from "../../../src/core/money/factors.ts";
import { NANO_PER_USD } from "../../../src/core/money/money.ts";
import { makeOffers } from "../../../src/gateway/plan/fitted.ts";
import { Routes } from "../../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../../src/gateway/plan/upstream.ts";
import { countAnswer } from "../../../src/gateway/settle/counted.ts";
import { worstCost } from "../../../src/ledger/worst.ts";
import type { ChatRequest, Usage } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { readSettings } from "../../harness/settings.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const TOTAL_MS = 600_000;
/** Half past midnight on a Tuesday. */
const START = Date.parse("2026-12-01T00:30:00Z");

const KEYS = "keys: [{ key: a, price_factor: 0.7 }, { key: b, price_factor: 1.3 }, c]";
const NAMES = ["Anthropic", "Google", "DeepSeek", "Mistral", "xAI", "Groq", "Moonshot", "ZAI", "Qwen"];
const settings = readSettings(`providers:
  OpenAI: { ${KEYS}, base_url: "https://eu.api.openai.com/v1", price_factor: 0.9 }
  Vertex: { project: p, location: europe-west4, service_account: metadata, price_factor: 1.1 }
  Bedrock: { region: eu-central-1, keys: [a] }
${NAMES.map((name) => `  ${name}: { ${KEYS} }`).join("\n")}
  Own:
    base_url: "http://own.example"
    ${KEYS}
    models:
      - name: dated
        context: 100000
        output: 4000
        price: { input: 1, output: 4 }
        later_prices:
          - { from: 2026-12-02, until: 2026-12-02, input: 3, output: 9 }
          - { from: 2026-12-04, input: 2, output: 8, cache_write: 7 }`);

const listed = new Map([...loadShippedCards(), ...settings.operatorModels].map((card) => [card.id, card]));
const upstreams = new Map(
  settings.providers.map((setup) => [setup.name, makeUpstream(setup, chooseDialects(setup))]),
);

/** OpenAI, "Data residency": models released since then. */
const UPLIFTED_SINCE = Date.parse("2026-03-05") / 1000;
/** LiteLLM 1.110.2 names these with a factor for the US. */
const US = /claude-(opus-4-[678]|sonnet-4-6|(opus|sonnet|fable|haiku)-5)/;

function findFactor({ provider, name, created }: ModelCard): number {
  if (provider === "OpenAI") return 0.9 * (created >= UPLIFTED_SINCE && name.startsWith("gpt-") ? 1.1 : 1);
  if (provider === "Vertex")
    return 1.1 * (/^(claude-.*-(4-[5-9]|5)|gemini-(3\.1-flash-lite|3\.[5-9]))/.test(name) ? 1.1 : 1);
  return provider === "Anthropic" && US.test(name) ? 1.1 : 1;
}

/** The list price of that minute. */
function findPrice({ price, laterPrices = [] }: ModelCard, atMs: number): Price | null {
  const due = laterPrices.filter(({ fromMs, untilMs = atMs + 1 }) => fromMs <= atMs && atMs < untilMs);
  const usual = due.length > 0 ? (due.at(-1)?.price ?? null) : price;
  const minute = Math.floor(atMs / MINUTE_MS) % DAY_MINUTES;
  const isNow = ({ days, fromMinute, toMinute }: NonNullable<Price["hours"]>[number]) =>
    days.has(new Date(atMs).getUTCDay()) && fromMinute <= minute && minute < toMinute;
  return usual?.hours?.find(isNow)?.price ?? usual;
}

const TOKENS = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
const USAGES: readonly Usage[] = [
  TOKENS,
  { ...TOKENS, prompt_tokens_details: { cached_tokens: 900 } },
  { ...TOKENS, prompt_tokens_details: { cache_write_tokens: 1000 } },
  { ...TOKENS, completion_tokens_details: { reasoning_tokens: 100 } },
];

function computeTruth(price: Price, usage: Usage, factor: number): number {
  const { cached_tokens: cached = 0, cache_write_tokens: written = 0 } = usage.prompt_tokens_details ?? {};
  const thought = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  const { input, output, cachedInput = input, cacheWrite = input, reasoning = output } = price;
  const read = (1000 - cached - written) * input + cached * cachedInput + written * cacheWrite;
  return (factor * (read + (100 - thought) * output + thought * reasoning)) / 1e6;
}

const ASK: ChatRequest = {
  model: "x",
  messages: [{ role: "user", content: "word ".repeat(1000) }],
  max_tokens: 100,
};
const TERMS = { isLimitRequired: false, searches: 0, unreadBytes: 0 };
/** Doubles are off by less. */
const SLACK = 1e-7;

/** Returns the worst of the card's calls, as true cost ÷ hold and true cost ÷ charge. */
function compare(card: ModelCard, heldAtMs: number, calledAtMs: number) {
  const setup = upstreams.get(card.provider)?.setup;
  const list = listed.get(card.id);
  const price = list && findPrice(list, calledAtMs);
  if (!setup || !list || !price) throw new Error(`${card.id} is not there.`);
  const call = {
    operation: CHAT,
    routes: new Routes(CHAT, "openai", upstreams),
    raw: null,
    ask: ASK,
    ...TERMS,
  };
  const [offer] = makeOffers(call, [card], heldAtMs);
  const held = offer ? worstCost(offer, offer.lines, 100, 1) / NANO_PER_USD : 0;
  const geo =
    card.provider === "Anthropic" ? { served: [{ field: "inference_geo", word: "us" } as const] } : {};
  const ratios = { hold: 0, charge: 0 };
  for (const { priceFactor = 1 } of setup.credentials) {
    const priced = priceCallAt(card, priceFactor, calledAtMs);
    const sent = { ask: ASK, card: priced, calls: 1, unreadBytes: 0, rounds: 0 };
    for (const usage of USAGES) {
      const truth = computeTruth(price, usage, findFactor(list) * priceFactor);
      if (truth === 0) continue;
      const rules = { markup: 1, provider: setup, findHold: () => held * NANO_PER_USD };
      const { bill } = countAnswer(CHAT, { ...usage, terms: geo }, "provider", sent, rules);
      ratios.hold = Math.max(ratios.hold, truth / held);
      ratios.charge = Math.max(ratios.charge, truth / (bill.costNanoUsd / NANO_PER_USD));
    }
  }
  return ratios;
}

test("services that a project's setting may choose are held, those that nobody can ask for aren't", () => {
  const hold = (fields: string) => {
    const given = readSettings(`providers: { OpenAI: { keys: [k]${fields} } }`);
    const [setup] = given.providers;
    const found = buildCatalogue({ ...given, nowMs: START }).resolve("OpenAI#gpt-5.4");
    if (!setup || found.kind !== "card") throw new Error("The model is not there.");
    const own = new Map([["OpenAI", makeUpstream(setup, chooseDialects(setup))]]);
    const call = { operation: CHAT, routes: new Routes(CHAT, "openai", own), raw: null, ask: ASK, ...TERMS };
    return makeOffers(call, [found.card], START)[0]?.outputUsdPerMillion;
  };
  expect(hold("")).toBe(15);
  expect(hold(", service_tier: default")).toBe(15);
  expect(hold(", service_tier: project")).toBe(30);
  expect(hold(", extra_fields: [service_tier]")).toBe(30);
});

describe("true cost ÷ hold and true cost ÷ charge are at most 1", () => {
  test("for every chat model of these providers", () => {
    const cards = buildCatalogue({ ...settings, nowMs: START }).list();
    const chat = cards.filter(({ operations, price }) => operations?.has("chat") && price);
    const beyond = chat.flatMap((card) => {
      const { hold, charge } = compare(card, START, START + TOTAL_MS);
      return hold > 1 + SLACK || charge > 1 + SLACK ? [`${card.id} ${hold} ${charge}`] : [];
    });
    expect(beyond).toEqual([]);
    expect(chat.length).toBeGreaterThan(200);
  });

  test.each(["DeepSeek#deepseek-v4-flash", "DeepSeek#deepseek-v4-pro", "Own#dated"])(
    "for each hour of four days, at its border too, for %s",
    (id) => {
      const providers = settings.providers.filter(({ name }) => id.startsWith(`${name}#`));
      for (let at = START; at < START + 96 * HOUR_MS; at += HOUR_MS) {
        const found = buildCatalogue({ ...settings, providers, nowMs: at }).resolve(id);
        if (found.kind !== "card") throw new Error(`${id} is not there.`);
        for (const laterMs of [0, HOUR_MS / 2 - 1, HOUR_MS / 2]) {
          const heldMs = Math.max(at, at + laterMs - TOTAL_MS);
          const { hold, charge } = compare(found.card, heldMs, at + laterMs);
          const time = new Date(at).toISOString();
          expect([time, hold <= 1 + SLACK, charge <= 1 + SLACK]).toEqual([time, true, true]);
        }
      }
    },
  );
});
