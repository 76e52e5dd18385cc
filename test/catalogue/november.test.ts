// The models of November 2026: each platform's row has its vendor's price, limits and abilities.
import { expect, test } from "bun:test";
import { priceView } from "../../src/catalogue/price.ts";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import type { Capability, ModelCard } from "../../src/core/models/card.ts";
import { findTraits } from "../../src/dialects/anthropic/models.ts";
import { findFacts as findGemini } from "../../src/dialects/gemini/models.ts";
import { needsResponses } from "../../src/dialects/openai/models.ts";
import { findFacts } from "../../src/dialects/responses/models.ts";

const CARDS = new Map(loadShippedCards().map((card) => [card.id, card]));

function find(id: string): ModelCard {
  const card = CARDS.get(id);
  if (card === undefined) throw new Error(`${id} is not there.`);
  return card;
}

type Rates = readonly [input: number, cached: number, write: number | undefined, output: number];
const SOL: Rates = [2, 0.1, 2.5, 10];
const ASTRA: Rates = [8, 0.4, 10, 40];
const FABLE: Rates = [8, 0.2, 10, 40];
const FABLE_REGIONAL: Rates = [8.8, 0.22, 11, 44];
const CARBON: Rates = [2, 0.1, undefined, 10];
const NEON: Rates = [3, 0.15, undefined, 15];

test.each<[string, Rates, number, number]>([
  ["OpenAI#gpt-6.2-sol", SOL, 1_050_000, 128_000],
  ["Azure#gpt-6.2-sol", SOL, 1_050_000, 128_000],
  ["OpenRouter#openai/gpt-6.2-sol", SOL, 1_050_000, 128_000],
  ["OpenAI#gpt-6.2-astra", ASTRA, 1_050_000, 128_000],
  ["Azure#gpt-6.2-astra", ASTRA, 1_050_000, 128_000],
  ["OpenRouter#openai/gpt-6.2-astra", ASTRA, 1_050_000, 128_000],
  ["Anthropic#claude-fable-5-2", FABLE, 1_000_000, 128_000],
  ["Azure#claude-fable-5-2", FABLE, 1_000_000, 128_000],
  ["Vertex#claude-fable-5-2@default", FABLE, 1_000_000, 128_000],
  ["OpenRouter#anthropic/claude-fable-5.2", FABLE, 1_000_000, 128_000],
  ["Bedrock#global.anthropic.claude-fable-5-2", FABLE, 1_000_000, 128_000],
  ["Bedrock#us.anthropic.claude-fable-5-2", FABLE_REGIONAL, 1_000_000, 128_000],
  ["Bedrock#eu.anthropic.claude-fable-5-2", FABLE_REGIONAL, 1_000_000, 128_000],
  ["Google#gemini-4-carbon", CARBON, 1_048_576, 1_048_576],
  ["Vertex#gemini-4-carbon", CARBON, 1_048_576, 1_048_576],
  ["OpenRouter#google/gemini-4-carbon", CARBON, 1_048_576, 1_048_576],
  ["Google#gemini-4-neon", NEON, 1_048_576, 65_536],
  ["Vertex#gemini-4-neon", NEON, 1_048_576, 65_536],
  ["OpenRouter#google/gemini-4-neon", NEON, 1_048_576, 65_536],
])("%s has its vendor's price and limits", (id, rates, context, output) => {
  const { price, contextTokensMax, outputTokensMax } = find(id);
  expect([price?.input, price?.cachedInput, price?.cacheWrite, price?.output]).toEqual([...rates]);
  expect([contextTokensMax, outputTokensMax]).toEqual([context, output]);
});

test.each([
  ["OpenAI#gpt-6.2-sol", 4, 0.2, 5, 10, 15],
  ["OpenAI#gpt-6.2-astra", 16, 0.8, 20, 40, 60],
])("%s costs more above 272,000 tokens", (id, input, cached_input, cache_write, cache_write_12h, output) => {
  const { tiers } = priceView(find(id).price ?? { input: 0, output: 0 });
  expect(tiers).toEqual([
    expect.objectContaining({
      above_tokens: 272_000,
      input,
      cached_input,
      cache_write,
      cache_write_12h,
      output,
    }),
  ]);
});

test("each long cache costs a multiple of the usual one", () => {
  expect(find("OpenAI#gpt-6.2-sol").price?.cacheWrite12h).toBe(5);
  expect(find("Anthropic#claude-fable-5-2").price?.cacheWrite1h).toBe(16);
});

test("services have their multiples, and gpt-6.2 has no flex", () => {
  const services = (id: string) =>
    [...(find(id).price?.service ?? [])].map(([tier, { input }]) => [tier, input]);
  expect(services("OpenAI#gpt-6.2-astra")).toEqual([
    ["priority", 16],
    ["ultrafast", 24],
  ]);
  expect(services("Google#gemini-4-neon")).toEqual([
    ["priority", 5.4],
    ["flex", 1.5],
  ]);
});

test("gpt-6.2 thinks from low to max, and calls tools by Responses alone", () => {
  const card = find("OpenAI#gpt-6.2-sol");
  expect(findFacts(card)).toMatchObject({ efforts: ["low", "medium", "high", "xhigh", "max"], isSure: true });
  const messages = [{ role: "user" as const, content: "hi" }];
  const tools = [{ type: "function" as const, function: { name: "one" } }];
  expect(needsResponses(card, { model: card.name, messages })).toBe(false);
  expect(needsResponses(card, { model: card.name, messages, tools, reasoning_effort: "none" })).toBe(true);
});

test("claude-fable-5-2 always thinks, takes no sampling fields, and can't be forced to call", () => {
  for (const id of ["Anthropic#claude-fable-5-2", "Bedrock#us.anthropic.claude-fable-5-2"]) {
    expect(findTraits(find(id))).toMatchObject({
      temperature: false,
      topP: false,
      topK: false,
      thinking: "adaptive",
      off: "never",
      efforts: ["low", "medium", "high", "xhigh", "max"],
      forcedUse: false,
      structured: true,
    });
    const has = (one: Capability) => find(id).capabilities.has(one);
    expect([has("tools"), has("tools_auto")]).toEqual([false, true]);
  }
});

test("gemini-4-neon has a fourth level of thinking, gemini-4-carbon has three", () => {
  const levels = (id: string) => {
    const { thinking } = findGemini(find(id));
    return thinking?.by === "level" ? thinking.levels : [];
  };
  expect(levels("Vertex#gemini-4-neon")).toEqual(["LOW", "MEDIUM", "HIGH", "XHIGH"]);
  expect(levels("Google#gemini-4-carbon")).toEqual(["LOW", "MEDIUM", "HIGH"]);
});

test.each([
  ["Mistral#mistral-medium-2505", 0.04],
  ["Mistral#mistral-medium-2508", 0.04],
  ["Mistral#mistral-small-2506", 0.01],
  ["ZAI#glm-4.5v", 0.11],
  ["ZAI#glm-4.6v", 0.05],
  ["Azure#deepseek-v4-pro", 0.174],
  ["Azure#deepseek-v4-flash", 0.019],
])("%s charges %d for cached tokens, as two lists say", (id, cached) => {
  expect(find(id).price?.cachedInput).toBe(cached);
});
