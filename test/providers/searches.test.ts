// A request's web search in each dialect that has one: its form, its options, and what is left out and named.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Capability, ModelCard } from "../../src/core/models/card.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import type { SearchOptions } from "../../src/operations/chat/prompt/search-form.ts";
import { findDialect, PROVIDERS } from "../../src/providers/index.ts";
import { makeModelCard } from "../harness/cards.ts";
import { findChatCodec } from "../harness/codec.ts";

const PRICE = { input: 1, output: 2, perSearch: 0.01 };
const PLACE = { type: "approximate", approximate: { city: "Bonn" } } as const;
const ALL: SearchOptions = {
  search_context_size: "low",
  user_location: PLACE,
  max_uses: 3,
  allowed_domains: ["a.example"],
  blocked_domains: ["b.example"],
};
const TOOL = { type: "function" as const, function: { name: "f" } };

function makeCard(id: string, capabilities: readonly Capability[] = ["tools", "search"]): ModelCard {
  return makeModelCard(id, { price: PRICE, capabilities: new Set(capabilities), outputTokensMax: 4096 });
}

function send(
  id: string,
  web_search_options: SearchOptions,
  more: Partial<ChatRequest> = {},
  card = makeCard(id),
) {
  const provider = PROVIDERS.find(({ name }) => name === card.provider);
  const dialect = provider?.dialects[0] ?? findDialect("responses");
  const messages = [{ role: "user" as const, content: "a" }];
  const ask: ChatRequest = { model: id, messages, web_search_options, ...more };
  const target = { baseUrl: "https://provider.test/v1", secret: "s", headers: {} };
  const { url, body, dropped } = CHAT.encode(findChatCodec(dialect), ask, card, target);
  const sent: JsonObject = JSON.parse(JSON.stringify(body));
  return { path: new URL(url).pathname, sent, dropped };
}

describe("all that a search may say", () => {
  test("at Anthropic", () => {
    const { sent, dropped } = send("Anthropic#claude-sonnet-5", ALL);
    expect(sent.tools).toEqual([
      {
        type: "web_search_20250305",
        name: "web_search",
        max_uses: 3,
        allowed_domains: ["a.example"],
        user_location: { type: "approximate", city: "Bonn" },
      },
    ]);
    const named = ["web_search_options.search_context_size", "web_search_options.blocked_domains"];
    expect(dropped).toEqual(named);
  });

  test.each(["OpenAI#gpt-4.1", "OpenAI#gpt-5.4", "xAI#grok-4.3", "Own#any"])("at %s", (id) => {
    const { path, sent, dropped } = send(id, ALL);
    expect(path).toBe("/v1/responses");
    expect(sent.tools).toEqual([
      {
        type: "web_search",
        search_context_size: "low",
        filters: { allowed_domains: ["a.example"] },
        user_location: { type: "approximate", city: "Bonn" },
      },
    ]);
    expect([sent.max_tool_calls, sent.tool_choice]).toEqual([3, undefined]);
    expect(sent.include).toContain("web_search_call.action.sources");
    expect(dropped).toEqual(["web_search_options.blocked_domains"]);
  });

  test("at Google", () => {
    const { sent, dropped } = send("Google#gemini-2.5-flash", ALL);
    expect(sent.tools).toEqual([{ googleSearch: {} }]);
    expect(dropped).toHaveLength(Object.keys(ALL).length);
  });

  test("at Perplexity", () => {
    const { sent, dropped } = send("Perplexity#sonar", ALL);
    expect(sent.tools).toEqual([
      {
        type: "web_search",
        search_context_size: "low",
        user_location: { city: "Bonn" },
        filters: { search_domain_filter: ["a.example", "-b.example"] },
      },
    ]);
    expect(dropped).toEqual(["web_search_options.max_uses"]);
  });

  test("for a search model of chat completions", () => {
    const { path, sent, dropped } = send("OpenAI#gpt-4o-search-preview", ALL);
    expect(path).toBe("/v1/chat/completions");
    const options = { search_context_size: "low", user_location: PLACE };
    expect(sent.web_search_options).toEqual(options);
    expect(dropped).toHaveLength(3);
  });
});

test("a limit is set where the client names none", () => {
  expect(send("Anthropic#claude-sonnet-5", {}).sent.tools).toMatchObject([{ max_uses: 5 }]);
  expect(send("OpenAI#gpt-5.4", {}).sent.max_tool_calls).toBe(5);
});

test("a forced search is the choice of tool, or a sentence", () => {
  const forced = { is_forced: true } as const;
  const claude = send("Anthropic#claude-sonnet-5", forced, { tools: [TOOL] });
  expect(claude.sent.tool_choice).toEqual({ type: "tool", name: "web_search" });
  expect(send("OpenAI#gpt-5.4", forced, { tools: [TOOL] }).sent.tool_choice).toEqual({ type: "web_search" });
  const unforceable = send("Anthropic#claude-sonnet-5-5", forced);
  expect([unforceable.sent.system, JSON.stringify(unforceable.sent.messages)]).toEqual([
    undefined,
    expect.stringContaining("search the web"),
  ]);
  expect(unforceable.dropped).toEqual(["tool_choice"]);
  expect(JSON.stringify(send("Google#gemini-2.5-flash", forced).sent.contents)).toContain("search the web");
});

test("minimal effort and a schema give way to a search that excludes them", () => {
  const effort = { reasoning_effort: "minimal" } as const;
  const searching = send("OpenAI#gpt-5-mini", {}, effort);
  expect([searching.sent.reasoning, searching.dropped]).toEqual([{ effort: "low" }, ["reasoning_effort"]]);
  const format = { type: "json_object" } as const;
  const old = send("Google#gemini-2.5-flash", {}, { response_format: format });
  expect(old.sent.generationConfig).toBeUndefined();
  expect(old.dropped).toEqual(["response_format"]);
});

describe("a search is left out and named", () => {
  const NAMED = { ...TOOL, function: { name: "web_search" } };
  const rows: readonly (readonly [string, string, Partial<ChatRequest>, readonly Capability[]])[] = [
    [
      "beside functions at Google before generation 3",
      "Google#gemini-2.5-flash",
      { tools: [TOOL] },
      ["tools", "search"],
    ],
    [
      "beside a function of its name at Anthropic",
      "Anthropic#claude-sonnet-5",
      { tools: [NAMED] },
      ["search"],
    ],
    ["for a card without it", "Anthropic#claude-sonnet-5", {}, ["tools"]],
    ["for a card without it on Responses", "Own#any", {}, ["tools"]],
    ["for a card without it at OpenAI", "OpenAI#gpt-5.4", {}, ["tools"]],
    ["at a provider that has none", "Mistral#mistral-large-2512", {}, ["tools", "search"]],
  ];
  test.each(rows)("%s", (_, id, more, capabilities) => {
    const card = makeCard(id, capabilities);
    const { sent, dropped } = send(id, {}, more, card);
    expect(JSON.stringify(sent)).not.toMatch(/googleSearch|web_search_2|"type":"web_search"/);
    expect(dropped).toContain("web_search_options");
  });
});
