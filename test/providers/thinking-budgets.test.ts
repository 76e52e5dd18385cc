// Budgets of thinking under a limit that is lowered, by the hold or to what the model answers at most.
import { describe, expect, test } from "bun:test";
import { cohere } from "../../src/dialects/cohere/dialect.ts";
import type { ChatDialect } from "../../src/dialects/dialect.ts";
import { makeOpenaiDialect } from "../../src/dialects/openai/dialect.ts";
import { PLAIN } from "../../src/dialects/openai/quirks.ts";
import { fitToHold } from "../../src/operations/chat/bounded.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { makeCard } from "../dialects/cases/drive.ts";
import { TARGET } from "./target.ts";

/** The model's own limit in tokens. */
const OUTPUT_MAX = 32_000;
const SERVER = makeOpenaiDialect(PLAIN);
const ANY = { ...TARGET, extraFields: ["*"] };

function send(dialect: ChatDialect, fields: Partial<ChatRequest>, held?: number) {
  const request: ChatRequest = { model: "m", messages: [{ role: "user", content: "Hi" }], ...fields };
  const card = makeCard("command-a-reasoning-08-2025", ["reasoning"], OUTPUT_MAX);
  const { ask, dropped } = fitToHold(request, card, held);
  const outgoing = dialect.chat.encode(ask, card, ANY);
  const { model: _model, messages: _messages, ...body } = outgoing.body;
  return { body, dropped: [...new Set([...dropped, ...outgoing.dropped])] };
}

describe.each([
  ["thinking_budget", (tokens: number) => tokens],
  ["thinking_budget_tokens", (tokens: number) => tokens],
  ["thinking_token_budget", (tokens: number) => tokens],
  ["reasoning_budget", (tokens: number) => tokens],
  ["max_thinking_tokens", (tokens: number) => tokens],
  ["reasoning", (tokens: number) => ({ max_tokens: tokens })],
  ["thinking", (tokens: number) => ({ type: "enabled", budget_tokens: tokens })],
  ["thinking", (tokens: number) => ({ type: "enabled", token_budget: tokens })],
  ["chat_template_kwargs", (tokens: number) => ({ thinking_budget: tokens })],
] as const)("%s, %p", (field, make) => {
  test.each([
    ["what is held for", 8000, 8000, ["max_tokens", field]],
    ["what the model answers at most", OUTPUT_MAX, OUTPUT_MAX, [field, "max_tokens"]],
  ] as const)("leaves room for an answer in %s", (_what, held, limit, dropped) => {
    const { body, dropped: named } = send(SERVER, { max_tokens: 64_000, [field]: make(60_000) }, held);
    expect(body).toEqual({ max_tokens: limit, [field]: make(limit - 1024) });
    expect(named).toEqual([...dropped]);
  });

  test("stays as it came in a limit that isn't lowered", () => {
    const fields = { max_tokens: 8000, [field]: make(9000) };
    expect(send(SERVER, fields, 8000)).toEqual({ body: fields, dropped: [] });
  });
});

test.each([
  ["medium", 20_000, { type: "enabled", token_budget: 8192 }, false],
  ["medium", 4096, { type: "enabled", token_budget: 3072 }, true],
  ["low", 2048, { type: "enabled", token_budget: 1024 }, true],
  ["low", 2047, { type: "disabled" }, true],
  ["minimal", 1536, { type: "enabled", token_budget: 512 }, false],
  ["minimal", 1535, { type: "disabled" }, true],
  ["high", undefined, { type: "enabled" }, false],
  ["high", 20_000, { type: "enabled", token_budget: 18_976 }, false],
  ["high", 2000, { type: "disabled" }, true],
  ["none", 2000, { type: "disabled" }, false],
] as const)("Cohere's budget for %s effort and a limit of %p", (effort, limit, thinking, isNamed) => {
  const { body, dropped } = send(cohere, { reasoning_effort: effort, max_tokens: limit });
  expect(body.thinking).toEqual(thinking);
  expect(dropped).toEqual(isNamed ? ["reasoning_effort"] : []);
});

test("Cohere's own budget is switched off where a lowered limit leaves too little for it", () => {
  const thinking = { type: "enabled", token_budget: 4000 };
  const { body, dropped } = send(cohere, { max_tokens: 20_000, thinking }, 2000);
  expect(body).toEqual({ max_tokens: 2000, thinking: { type: "disabled" } });
  expect(dropped).toEqual(["max_tokens", "thinking"]);
});
