// The same conversation as an interaction and as a chat completion: every kind of step and content sends the same call to
// every dialect, whole and streamed, but for the differences that are listed.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import type { Exchange } from "../../../src/surfaces/surface.ts";
import { CROSSED_MODELS, encodeAsk, readAt } from "../crossing/crossing.ts";
import { readInteraction } from "./interactions-read.ts";

const user = (...content: readonly JsonObject[]): JsonObject => ({ type: "user_input", content });
const say = (text: string): JsonObject => ({ type: "text", text });
const ASKED = user(say("a"));
const call = (id: string): JsonObject => ({
  type: "function_call",
  id,
  name: "look",
  arguments: { city: "Oslo" },
});
const result = (call_id: string, more: JsonObject): JsonObject => ({
  type: "function_result",
  call_id,
  ...more,
});
const LOOK = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
const PICTURE = "data:image/png;base64,aGk=";

const called = (...ids: readonly string[]): JsonObject => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({
    id,
    type: "function",
    function: { name: "look", arguments: '{"city":"Oslo"}' },
  })),
});
const told = (id: string, content: unknown): JsonObject => ({ role: "tool", tool_call_id: id, content });
const CHAT_ASKED: JsonObject = { role: "user", content: [{ type: "text", text: "a" }] };
const CHAT_TEXT: JsonObject = { role: "user", content: "a" };
const TOOLS = { tools: [{ type: "function", ...LOOK }] };
const CHAT_TOOLS = { tools: [{ type: "function", function: LOOK }] };

const TWINS: readonly (readonly [name: string, interaction: JsonObject, chat: JsonObject])[] = [
  ["a text", { input: "a" }, { messages: [CHAT_TEXT] }],
  [
    "a system instruction",
    { input: "a", system_instruction: "Be brief." },
    { messages: [{ role: "system", content: "Be brief." }, CHAT_TEXT] },
  ],
  [
    "a picture",
    { input: [say("a"), { type: "image", mime_type: "image/png", data: "aGk=" }] },
    { messages: [{ role: "user", content: [say("a"), { type: "image_url", image_url: { url: PICTURE } }] }] },
  ],
  [
    "a sound",
    { input: [say("a"), { type: "audio", mime_type: "audio/mpeg", data: "aGk=" }] },
    {
      messages: [
        {
          role: "user",
          content: [say("a"), { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } }],
        },
      ],
    },
  ],
  [
    "a document",
    { input: [say("a"), { type: "document", mime_type: "application/pdf", data: "aGk=" }] },
    {
      messages: [
        {
          role: "user",
          content: [say("a"), { type: "file", file: { file_data: "data:application/pdf;base64,aGk=" } }],
        },
      ],
    },
  ],
  [
    "an answer before",
    { input: [ASKED, { type: "model_output", content: [say("b"), say("c")] }, ASKED] },
    { messages: [CHAT_ASKED, { role: "assistant", content: "bc" }, CHAT_ASKED] },
  ],
  [
    "parallel calls and their results",
    {
      ...TOOLS,
      input: [
        ASKED,
        call("c1"),
        call("c2"),
        result("c1", { result: "x" }),
        result("c2", { result: { y: 1 } }),
      ],
    },
    { ...CHAT_TOOLS, messages: [CHAT_ASKED, called("c1", "c2"), told("c1", "x"), told("c2", '{"y":1}')] },
  ],
  [
    "a result among the user's contents",
    { ...TOOLS, input: [ASKED, call("c1"), user(result("c1", { result: "x" }), say("a"))] },
    { ...CHAT_TOOLS, messages: [CHAT_ASKED, called("c1"), told("c1", "x"), CHAT_ASKED] },
  ],
  [
    "settings",
    {
      input: "a",
      generation_config: {
        temperature: 0.5,
        top_p: 0.9,
        max_output_tokens: 200,
        seed: 7,
        stop_sequences: ["x"],
        thinking_level: "low",
      },
      labels: { team: "a" },
    },
    {
      messages: [CHAT_TEXT],
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 200,
      seed: 7,
      stop: ["x"],
      reasoning_effort: "low",
      metadata: { team: "a" },
    },
  ],
  [
    "a forced function",
    {
      ...TOOLS,
      input: "a",
      generation_config: { tool_choice: { allowed_tools: { mode: "any", tools: ["look"] } } },
    },
    { ...CHAT_TOOLS, messages: [CHAT_TEXT], tool_choice: { type: "function", function: { name: "look" } } },
  ],
  [
    "a search",
    { input: "a", tools: [{ type: "google_search" }] },
    { messages: [CHAT_TEXT], web_search_options: {} },
  ],
];

/** The call, or the refusal of what the model doesn't take. */
function tryCall(exchange: Exchange<ChatForm>, model: string): unknown {
  try {
    const { dropped, ...call } = encodeAsk(exchange, model);
    return { ...call, dropped: dropped.toSorted() };
  } catch (thrown) {
    return thrown;
  }
}

describe.each(CROSSED_MODELS)("%s", (model) => {
  test.each(TWINS)("gets %s as from chat completions", (_name, interaction, chat) => {
    for (const isStreamed of [false, true]) {
      const own = readInteraction({ ...interaction, stream: isStreamed });
      expect(tryCall(own, model)).toEqual(tryCall(readAt("chat", chat, isStreamed), model));
    }
  });
});

test("Google's models get what only they know", () => {
  const { body } = encodeAsk(
    readInteraction({
      ...TOOLS,
      input: [say("a"), { type: "video", mime_type: "video/mp4", data: "aGk=" }],
      safety_settings: [{ type: "harassment", threshold: "block_only_high" }],
      generation_config: { top_k: 5, thinking_summaries: "auto", tool_choice: "validated" },
    }),
    "Google#gemini-3.8-flash",
  );
  expect(body).toMatchObject({
    contents: [{ parts: [{ text: "a" }, { inlineData: { mimeType: "video/mp4", data: "aGk=" } }] }],
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" }],
    toolConfig: { functionCallingConfig: { mode: "VALIDATED" } },
    generationConfig: { topK: 5, thinkingConfig: { includeThoughts: true } },
  });
});

test("other models are named what only Google's know", () => {
  const { dropped } = encodeAsk(
    readInteraction({
      ...TOOLS,
      safety_settings: [{ type: "harassment", threshold: "off" }],
      generation_config: { tool_choice: "validated" },
    }),
    "Mistral#mistral-medium-2604",
  );
  expect(dropped.toSorted()).toEqual(["safety_settings", "validates_calls"]);
});
