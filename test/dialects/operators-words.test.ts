// The operator's words on what a model refuses or takes, in translation and in each native lane.
import { expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import type { Family, Mending } from "../../src/core/models/dialect.ts";
import type { Refusal } from "../../src/core/models/refusals.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { findDialect } from "../../src/providers/index.ts";
import { MESSAGES_TEXTS } from "../../src/surfaces/anthropic-messages/texts.ts";
import { makeModelCard } from "../harness/cards.ts";

const TARGET = { baseUrl: "https://provider.test/v1", secret: "s", headers: {} };
const REQUEST: ChatRequest = { model: "m", messages: [{ role: "user", content: "hi" }] };

function makeCard(name: string, refuses: readonly Refusal[], accepts: readonly Refusal[] = []): ModelCard {
  return makeModelCard(`House#${name}`, {
    outputTokensMax: 32_000,
    capabilities: new Set(["reasoning", "tools"] as const),
    refuses: new Set(refuses),
    accepts: new Set(accepts),
  });
}

function translate(dialect: "openai" | Family, card: ModelCard, fields: Partial<ChatRequest>) {
  const codec = findDialect(dialect).chat;
  if (!codec) throw new Error(`no chat in ${dialect}`);
  const { body, dropped } = codec.encode({ ...REQUEST, ...fields }, card, TARGET);
  return { body, dropped: [...dropped].sort() };
}

function pass(family: Exclude<Family, "openai">, card: ModelCard, body: JsonObject, mends: Mending) {
  const lane = findDialect(family).chat?.lanes?.[family];
  if (!lane) throw new Error(`no lane in ${family}`);
  const raw = { family, body, headers: {}, texts: MESSAGES_TEXTS };
  const outgoing = lane.encode(raw, REQUEST, card, { ...TARGET, mends });
  return { body: outgoing.body, dropped: [...outgoing.dropped].sort() };
}

const SAMPLING = { temperature: 0.2, top_p: 0.5 };

test.each(["openai", "responses", "anthropic", "gemini"] as const)(
  "%s leaves out refused fields",
  (dialect) => {
    const { body, dropped } = translate(dialect, makeCard("own", ["temperature", "top_p"]), SAMPLING);
    const config = { ...body, ...asObject(body.generationConfig) };
    expect([config.temperature, config.top_p, config.topP, dropped]).toEqual([
      undefined,
      undefined,
      undefined,
      ["temperature", "top_p"],
    ]);
  },
);

test("a level of effort that is refused gives way to the nearest", () => {
  const card = makeCard("own", ["reasoning_effort=high"]);
  expect(translate("openai", card, { reasoning_effort: "high" }).body.reasoning_effort).toBe("xhigh");
  expect(translate("responses", card, { reasoning_effort: "high" }).body.reasoning).toEqual({
    effort: "xhigh",
  });
  const claude = translate("anthropic", { ...card, name: "claude-opus-5" }, { reasoning_effort: "high" });
  expect(claude.body.output_config).toEqual({ effort: "medium" });
  const none = makeCard("own", ["reasoning_effort"]);
  expect(translate("openai", none, { reasoning_effort: "high" }).body.reasoning_effort).toBeUndefined();
});

test("a word taken back lets a field of a listed model pass", () => {
  const opus = makeCard("claude-opus-5", [], ["temperature", "thinking_budget"]);
  expect(translate("anthropic", opus, SAMPLING)).toMatchObject({
    body: { temperature: 0.2 },
    dropped: ["top_p"],
  });
  const asked = { messages: [], max_tokens: 9000, temperature: 0.2, top_k: 3 };
  const thinking = { type: "enabled", budget_tokens: 2000 };
  expect(pass("anthropic", opus, { ...asked, thinking }, "surely_refused")).toMatchObject({
    body: { temperature: 0.2, thinking },
    dropped: ["top_k"],
  });
  const gpt = makeCard("gpt-5.6-sol", [], ["temperature"]);
  expect(translate("responses", gpt, SAMPLING)).toMatchObject({
    body: { temperature: 0.2 },
    dropped: ["top_p"],
  });
});

test.each(["surely_refused", "refused"] as const)(
  "native lanes apply them to unknown models (%s)",
  (mends) => {
    const thinking = { type: "adaptive" };
    const body = { messages: [], max_tokens: 9000, temperature: 0.2, top_k: 3, thinking };
    const own = makeCard("glm-9", ["temperature", "top_k", "thinking_adaptive"]);
    expect(pass("anthropic", own, body, mends)).toMatchObject({
      body: { thinking: { type: "enabled", budget_tokens: 7200 } },
      dropped: ["temperature", "thinking", "top_k"],
    });
    const generationConfig = { temperature: 0.2, topK: 3, thinkingConfig: { thinkingLevel: "LOW" } };
    expect(
      pass("gemini", makeCard("own", ["top_k", "thinking_level"]), { contents: [], generationConfig }, mends),
    ).toMatchObject({
      body: { generationConfig: { temperature: 0.2 } },
      dropped: ["generationConfig.thinkingConfig", "generationConfig.topK"],
    });
    const asked = { input: "hi", temperature: 0.2, reasoning: { effort: "minimal" } };
    const grok = makeCard("grok-9", ["temperature", "reasoning_effort=minimal"]);
    expect(pass("responses", grok, asked, mends)).toMatchObject({
      body: { reasoning: { effort: "low" } },
      dropped: ["reasoning.effort", "temperature"],
    });
  },
);

test("a model of which nothing is known gets a client's own request as it came", () => {
  const thinking = { type: "between_tools" };
  const body = {
    messages: [],
    max_tokens: 9000,
    temperature: 0.2,
    top_p: 0.1,
    thinking,
    output_config: { effort: "huge" },
  };
  for (const mends of ["surely_refused", "refused"] as const)
    expect(pass("anthropic", makeModelCard("House#glm-9"), body, mends)).toEqual({
      body: { ...body, model: "glm-9" },
      dropped: [],
    });
  const named = pass("anthropic", makeModelCard("House#claude-someday-12"), body, "surely_refused");
  expect(named.dropped).toEqual([]);
  const chosen = pass("anthropic", makeModelCard("House#claude-someday-12"), body, "refused");
  expect(chosen.dropped).toEqual(["temperature", "thinking", "top_p"]);
});
