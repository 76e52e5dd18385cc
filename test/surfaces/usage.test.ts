// The usage of a chat completion, whole and streamed: both details are there, with the counts that the provider reported.
import { expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../src/core/json.ts";
import type { Usage } from "../../src/operations/chat/form.ts";
import { OPENAI_CHAT } from "../../src/surfaces/openai-chat/surface.ts";
import { incoming, STAMP } from "./recorded.ts";

const ASKED = { model: "m", messages: [{ role: "user", content: "a" }] };
const COUNTS = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const NONE = { prompt_tokens_details: {}, completion_tokens_details: {} };

function showWhole(usage?: Usage): JsonObject {
  const message = { role: "assistant" as const, content: "b", refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" as const }];
  return asObject(OPENAI_CHAT.read(incoming(ASKED)).whole({ choices, ...(usage && { usage }) }, STAMP));
}

function showStreamed(usage: Usage): JsonObject {
  const options = { stream: true, stream_options: { include_usage: true } };
  const written = OPENAI_CHAT.read(incoming({ ...ASKED, ...options })).writer(() => STAMP);
  return JSON.parse(written.write([{ choices: [], usage }]).replace(/^data: /, ""));
}

test.each([
  ["none", {}],
  ["the cached", { prompt_tokens_details: { cached_tokens: 0 } }],
  ["the thought", { completion_tokens_details: { reasoning_tokens: 3 } }],
])("of the details, %s are reported", (_, given) => {
  const usage = { ...COUNTS, ...given };
  const expected = { ...COUNTS, ...NONE, ...given };
  expect(showWhole(usage).usage).toEqual(expected);
  expect(showStreamed(usage).usage).toEqual(expected);
});

test("an answer without a report has no usage", () => {
  expect(showWhole()).not.toHaveProperty("usage");
});
