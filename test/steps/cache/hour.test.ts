// Prompts that Claude caches for an hour and OpenAI's models for twelve: counted separately, charged at their own rate, and
// held at it if the request asks for it.
import { expect, test } from "bun:test";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { parseResponseUsage } from "../../../src/dialects/_responses/fields.ts";
import { parseAnthropicUsage } from "../../../src/dialects/anthropic/usage.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { makeOffer } from "../../../src/operations/chat/offer.ts";
import { countAmounts, cutUsage } from "../../../src/operations/chat/usage.ts";
import { cost } from "../../harness/cards.ts";

const card = loadShippedCards().find(({ id }) => id === "Anthropic#claude-haiku-4-5");
if (!card) throw new Error("The catalogue lacks the model.");
const NO_TERMS = { isLimitRequired: false, searches: 0, unreadBytes: 0, answersPerCall: 1 };
const HOUR = { cache_control: { type: "ephemeral", ttl: "1h" } };
const MINUTES = { cache_control: { type: "ephemeral" } };

test("tokens cached for an hour cost twice the input price, others 1.25 times", () => {
  const usage = parseAnthropicUsage({
    input_tokens: 10,
    output_tokens: 5,
    cache_creation_input_tokens: 3000,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
  });
  if (!usage) throw new Error("There is no usage.");
  expect(usage.prompt_tokens_details).toMatchObject({
    cache_write_tokens: 3000,
    cache_write_1h_tokens: 2000,
  });
  // USD per million tokens: 1 for input, 1.25 and 2 for cache writes, 5 for output.
  expect(cost(card.price, countAmounts(usage), 1)).toBe(1000 * (10 * 1 + 1000 * 1.25 + 2000 * 2 + 5 * 5));
});

function inputRate(request: Partial<ChatRequest>, on = card): number | undefined {
  const ask = { model: on?.id ?? "", messages: [{ role: "user", content: "Hello" } as const], ...request };
  return on && makeOffer(on, ask, NO_TERMS).lines.find(({ what }) => what === "input")?.usdPerMillion;
}

test("an hour's cache mark anywhere in the request raises the hold to that rate", () => {
  const part = (mark: object) => [
    { role: "user", content: [{ type: "text", text: "Hello", ...mark }] } as const,
  ];
  const tool = (mark: object) => [{ type: "function", function: { name: "look" }, ...mark } as const];
  expect([
    inputRate({}),
    inputRate({ messages: part(MINUTES) }),
    inputRate({ tools: tool(MINUTES) }),
  ]).toEqual([1.25, 1.25, 1.25]);
  const called = { id: "c", type: "function", function: { name: "look", arguments: "{}" }, ...HOUR } as const;
  const places: readonly Partial<ChatRequest>[] = [
    HOUR,
    { messages: part(HOUR) },
    { tools: tool(HOUR) },
    { messages: [{ role: "assistant", content: null, tool_calls: [called] }] },
    { messages: [{ role: "tool", tool_call_id: "c", content: "a", ...HOUR }] },
  ];
  expect(places.map((request) => inputRate(request))).toEqual([2, 2, 2, 2, 2]);
});

const sol = loadShippedCards().find(({ id }) => id === "OpenAI#gpt-6-sol");
if (!sol) throw new Error("The catalogue lacks the model.");

test("twelve hours, for the whole prompt or a part, raise the hold to twice the usual rate for writing", () => {
  const breakpoint = (ttl: string) => ({ prompt_cache_breakpoint: { mode: "explicit", ttl } });
  const part = (ttl: string): Partial<ChatRequest> => ({
    messages: [{ role: "user", content: [{ type: "text", text: "Hello", ...breakpoint(ttl) }] }],
  });
  const asked: readonly Partial<ChatRequest>[] = [
    { prompt_cache_options: { ttl: "30m" } },
    part("30m"),
    { prompt_cache_options: { ttl: "12h" } },
    part("12h"),
  ];
  expect(asked.map((request) => inputRate(request, sol))).toEqual([2.5, 2.5, 5, 5]);
  // Claude is asked to keep the prompt for an hour instead. A model without such a price takes no more.
  expect(inputRate({ prompt_cache_options: { ttl: "12h" } })).toBe(2);
  if (!card?.price) throw new Error("The model has no price.");
  const { cacheWrite1h: _hour, ...price } = card.price;
  expect(inputRate({ prompt_cache_options: { ttl: "12h" } }, { ...card, price })).toBe(1.25);
});

test("writes are charged at the time that the report names, or at the longest that was asked if it names none", () => {
  const sent = (ttl: string) => {
    const messages = [{ role: "user", content: "Hello" } as const];
    const ask: ChatRequest = { model: sol.id, messages, prompt_cache_options: { ttl } };
    return { ask, card: sol, calls: 1, unreadBytes: 0, rounds: 0 };
  };
  const charge = (details: object, ttl: string) => {
    const usage = parseResponseUsage(
      { input_tokens: 1000, output_tokens: 0, input_tokens_details: details },
      0,
    );
    return cost(sol.price, countAmounts(cutUsage(usage, sent(ttl)).usage), 1) / 1000;
  };
  const split = { ttl_30m_tokens: 400, ttl_12h_tokens: 600 };
  expect(charge({ cache_write_tokens: 1000, cache_write_tokens_details: split }, "12h")).toBe(
    400 * 2.5 + 600 * 5,
  );
  expect(charge({ cache_write_tokens: 1000 }, "12h")).toBe(1000 * 5);
  expect(charge({ cache_write_tokens: 1000 }, "30m")).toBe(1000 * 2.5);
});
