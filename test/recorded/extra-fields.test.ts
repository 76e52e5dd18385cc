// The fields outside the chat API in recorded requests that succeeded: all leave as they came, but the listed ones.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { CHAT_FIELDS } from "../../src/dialects/_chat/outgoing.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { findDialect, PROVIDERS } from "../../src/providers/index.ts";
import { makeModelCard } from "../harness/cards.ts";
import { atLeast, HAS_OUTSIDE, readTraffic } from "./load.ts";

const ROWS: Readonly<Record<string, string>> = { dashscope: "Qwen", moonshot: "Moonshot" };
/** Fields that choose another route or model, or have a price of their own, and those of Perplexity's retired API. */
const LEFT_OUT = [
  "openrouter models",
  "openrouter plugins",
  "openrouter provider",
  "perplexity return_related_questions",
  "perplexity search_context_size",
  "together safety_model",
];
const TARGET = { baseUrl: "https://upstream.example/v1", secret: "s", headers: {} };

function findServer(file: string) {
  const name = (ROWS[file] ?? file).toLowerCase();
  const row = PROVIDERS.find((one) => one.name.toLowerCase() === name);
  return row?.dialects[0] ?? findDialect("openai");
}

function pickExtras(request: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !CHAT_FIELDS.has(name)));
}

test("recorded extra fields reach their provider", () => {
  const left = new Set<string>();
  let passed = 0;
  for (const { file, api, request, status, model } of readTraffic().recordings) {
    if (api !== "openai-chat" || request === null || status !== 200) continue;
    const codec = CHAT.findCodec(findServer(file));
    if (codec === null) continue;
    const extras = pickExtras(request);
    const messages = [{ role: "user" as const, content: "x" }];
    const card = makeModelCard(`${file}#${model}`, { capabilities: new Set(["reasoning"]) });
    const { body, dropped } = CHAT.encode(codec, { ...extras, model, messages }, card, TARGET);
    for (const [name, value] of Object.entries(extras)) {
      if (dropped.includes(name)) left.add(`${file} ${name}`);
      else expect([file, name, body[name]]).toEqual([file, name, value]);
      if (!dropped.includes(name)) passed += 1;
    }
  }
  expect([...left].sort()).toEqual(LEFT_OUT.filter((field) => HAS_OUTSIDE || left.has(field)));
  expect(passed).toBeGreaterThanOrEqual(atLeast(60));
});
