// The requests that the gateway plans to mark for the cache: by their fields, their signs and the operator's word.
import { describe, expect, test } from "bun:test";
import { asArray } from "../../src/core/json/json.ts";
import type { CacheMarkMode } from "../../src/core/models/words/cache-marks.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { planMarks } from "../../src/dialects/_chat/cache/plan-marks.ts";
import { anthropic } from "../../src/dialects/anthropic/dialect.ts";
import { markMessages } from "../../src/dialects/openai/prompt-marks.ts";
import { MarkSavings } from "../../src/health/mark-savings.ts";
import { RecentTurns } from "../../src/health/recent-turns.ts";
import { Conversation } from "../../src/health/stickiness.ts";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";
import type { MarkSigns } from "../../src/operations/codec.ts";
import { makeModelCard } from "../harness/cards.ts";
import { makeConversation } from "../harness/conversation.ts";

const PRICE = { input: 2, output: 10, cachedInput: 0.2, cacheWrite: 2.5, cacheWrite1h: 4 };
const CARD = makeModelCard("Anthropic#claude-sonnet-5", { price: PRICE });
const LONG_TEXT = "lorem ipsum ".repeat(1000);
const SIGNS: MarkSigns = {
  goesOn: () => true,
  isLine: false,
  isSideCall: () => false,
  isResting: () => false,
};

function plan(
  more: Partial<ChatRequest> = {},
  signs: Partial<MarkSigns> = {},
  mode: CacheMarkMode = "conversations",
) {
  const messages: ChatMessage[] = [{ role: "user", content: LONG_TEXT }];
  return planMarks({ model: "m", messages, ...more }, CARD, mode, () => ({ ...SIGNS, ...signs }));
}

const NAMES = { sought: null, kept: [], heldTokens: 0 };
const mark = { cache_control: { type: "ephemeral" } } as const;

describe("a conversation", () => {
  test.each([
    ["that goes on", {}, {}, "5m"],
    ["without a sign", {}, { goesOn: () => false }, null],
    ["of a batch", {}, { isLine: true }, null],
    ["of an agent with itself", {}, { isSideCall: () => true }, null],
    ["whose marks haven't paid", {}, { isResting: () => true }, "resting"],
    ["that is short", { messages: [{ role: "user" as const, content: "hi" }] }, {}, null],
    ["that is to be kept for a day", { prompt_cache_retention: "24h" as const }, {}, "1h"],
    ["that is to be kept for twelve hours", { prompt_cache_options: { ttl: "12h" } }, {}, "1h"],
    [
      "with breakpoints of its own, of which it has none",
      { prompt_cache_options: { mode: "explicit" } },
      {},
      null,
    ],
    ["marked at its top", mark, {}, null],
    [
      "marked by OpenAI's breakpoint",
      {
        messages: [
          {
            role: "user" as const,
            content: [
              { type: "text" as const, text: LONG_TEXT, prompt_cache_breakpoint: { mode: "explicit" } },
            ],
          },
        ],
      },
      {},
      null,
    ],
  ])("%s", (_which, more, signs, planned) => {
    expect(plan(more, signs)).toBe(planned as never);
  });

  test("is left alone with off, and marked always with auto", () => {
    expect(plan({}, {}, "off")).toBeNull();
    expect(plan({}, { goesOn: () => false, isResting: () => true }, "auto")).toBe("5m");
    expect(plan(mark, {}, "auto")).toBeNull();
  });

  test("is kept for five minutes by a model without a price for an hour", () => {
    const card = makeModelCard("Own#m", { price: { input: 1, output: 1 } });
    const messages: ChatMessage[] = [{ role: "user", content: LONG_TEXT }];
    expect(
      planMarks({ model: "m", messages, prompt_cache_retention: "24h" }, card, "conversations", () => SIGNS),
    ).toBe("5m");
  });
});

test("chat completions are marked at the instructions and the last two user turns", () => {
  const messages: ChatMessage[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "one" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "a", content: "first" },
    { role: "tool", tool_call_id: "b", content: "second" },
    { role: "assistant", content: "so" },
    {
      role: "user",
      content: [
        { type: "text", text: "two" },
        { type: "text", text: "" },
      ],
    },
  ];
  const marked = markMessages(messages, "1h").map(({ content }) =>
    JSON.stringify(content).includes('"ttl":"1h"'),
  );
  expect(marked).toEqual([true, false, false, false, true, false, true]);
});

test("the gateway's own words aren't marked", () => {
  const card = makeModelCard("Anthropic#claude-opus-5-5");
  const target = { baseUrl: "http://own", secret: null, headers: {}, marks: "5m" } as const;
  const messages: ChatMessage[] = [
    { role: "user", content: "one" },
    { role: "assistant", content: "and" },
  ];
  const { body, marked } = anthropic.chat.encode({ model: "m", messages }, card, target);
  const isMarked = asArray(body.messages).map((one) => JSON.stringify(one).includes("cache_control"));
  expect([marked, isMarked]).toEqual(["5m", [true, false, false]]);
});

describe("savings", () => {
  const AMOUNTS = { ...NO_AMOUNTS, prompt: 10_000 };
  const WRITTEN = { ...AMOUNTS, cacheWrite: 9000 };
  const READ = { ...AMOUNTS, cached: 9000 };

  test("rest a key's marks after fifty that cost more than they saved, for an hour", () => {
    const savings = new MarkSavings();
    for (let at = 0; at < 49; at++) savings.record("key", CARD, WRITTEN, at);
    expect(savings.isResting("key", CARD, 49)).toBe(false);
    savings.record("key", CARD, WRITTEN, 50);
    expect([savings.isResting("key", CARD, 51), savings.isResting("other", CARD, 51)]).toEqual([true, false]);
    expect(savings.isResting("key", CARD, 3_600_051)).toBe(false);
  });

  test("rest all keys' after two hundred", () => {
    const savings = new MarkSavings();
    for (let at = 0; at < 200; at++) savings.record(`key ${at}`, CARD, WRITTEN, at);
    expect(savings.isResting("new", CARD, 201)).toBe(true);
  });

  test("go on where one of four is read", () => {
    const savings = new MarkSavings();
    for (let at = 0; at < 200; at++) savings.record("key", CARD, at % 4 === 0 ? READ : WRITTEN, at);
    expect(savings.isResting("key", CARD, 201)).toBe(false);
  });
});

test("a turn is recent for five minutes, within its conversation", () => {
  const turns = new RecentTurns();
  expect(turns.note("a", 0)).toBe(false);
  expect([turns.note("b", 1), turns.note("a", 300_000), turns.note("a", 600_001)]).toEqual([
    false,
    true,
    false,
  ]);
});

test("a turn is noted once at each model, and never without a name", () => {
  const turns = new RecentTurns();
  const request = { messages: [{ role: "user", content: "hello" }] } as const;
  const makeTurn = () => makeConversation("key", { model: "m", ...request }).opening;
  const [first, second] = [makeTurn(), makeTurn()];
  const noted = [first, first, second, second].map((turn) => turn.noteTurn(turns, "Anthropic#m", 0));
  expect(noted).toEqual([false, false, true, true]);
  expect(second.noteTurn(turns, "Bedrock#m", 0)).toBe(false);
  const line = () => new Conversation("key", { nameConversation: () => NAMES }).opening;
  expect([line(), line()].map((turn) => turn.noteTurn(turns, "Anthropic#m", 0))).toEqual([false, false]);
});

test("turns of fifty thousand conversations are known, and one that comes again takes no room of others", () => {
  const turns = new RecentTurns();
  turns.note("first", 0);
  for (let at = 1; at < 49_999; at++) turns.note(`${at}`, at);
  for (let at = 0; at < 10_000; at++) turns.note("again", 49_999);
  expect(turns.note("first", 50_000)).toBe(true);
  turns.note("one more", 50_000);
  expect([turns.note("1", 50_000), turns.note("first", 50_000)]).toEqual([false, true]);
});
