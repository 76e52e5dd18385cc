// Chat completions in Mistral's own form, as its SDK sends them: read as OpenAI's, sent to Mistral, named elsewhere.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { findDialect } from "../../src/providers/index.ts";
import { readChatRequest } from "../../src/surfaces/openai-chat/read.ts";
import { OPENAI_CHAT } from "../../src/surfaces/openai-chat/surface.ts";
import { makeCard } from "../dialects/cases/drive.ts";
import { findChatCodec } from "../harness/codec.ts";
import { incoming } from "./recorded.ts";

const LIMITS = { choicesMax: 16, messagesMax: 100 };
const USER = { role: "user", content: "a" };
const TOOLS = [{ type: "function", function: { name: "look", parameters: {} } }];
const read = (fields: JsonObject) => readChatRequest({ model: "m", messages: [USER], ...fields }, LIMITS);
const readMessage = (message: JsonObject) => read({ messages: [message] }).messages[0];

function encode(dialect: "mistral" | "anthropic" | "openai", fields: JsonObject) {
  const { body, dropped } = findChatCodec(findDialect(dialect)).encode(
    read(fields),
    makeCard("m", ["tools"]),
    { baseUrl: "https://provider.test", secret: null, headers: {} },
  );
  return { body, dropped };
}

describe("what has one clear meaning is read", () => {
  test("a forced call, and the seed", () => {
    expect(read({ tools: TOOLS, tool_choice: "any" }).tool_choice).toBe("required");
    expect(read({ random_seed: 7 })).toMatchObject({ seed: 7 });
    expect(read({ random_seed: 7 })).not.toHaveProperty("random_seed");
    expect(read({ random_seed: 7, seed: 8 }).seed).toBe(8);
  });

  test("images and documents by a plain address", () => {
    const content = [
      { type: "image_url", image_url: "https://a.test/b.png" },
      { type: "document_url", document_url: "https://a.test/b.pdf", document_name: "b.pdf" },
      { type: "document_url", document_url: "data:application/pdf;base64,AA==" },
    ];
    expect(readMessage({ role: "user", content })?.content).toEqual([
      { type: "image_url", image_url: { url: "https://a.test/b.png" } },
      { type: "file", file: { file_data: "https://a.test/b.pdf", filename: "b.pdf" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,AA==" } },
    ]);
  });

  test("thinking and calls of earlier answers", () => {
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "hm" }], closed: true };
    const calls = [{ id: "abcdefghi", type: "function", function: { name: "look", arguments: { at: 1 } } }];
    const message = readMessage({
      role: "assistant",
      prefix: false,
      content: [thinking, { type: "text", text: "b" }],
      tool_calls: calls,
    });
    expect(JSON.parse(JSON.stringify(message))).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "b" }],
      reasoning_content: "hm",
      tool_calls: [{ id: "abcdefghi", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
    });
    expect(readMessage({ role: "assistant", content: [thinking] })?.content).toBeNull();
  });
});

describe("what only Mistral knows", () => {
  const OWN = { safe_prompt: true, prompt_mode: "reasoning", document_page_limit: 8 };

  test("reaches Mistral", () => {
    const fields = { ...OWN, tools: TOOLS, tool_choice: "any", random_seed: 7 };
    const { body, dropped } = encode("mistral", fields);
    expect(body).toMatchObject({ ...OWN, tool_choice: "any", random_seed: 7 });
    expect(dropped).toEqual([]);
  });

  test("is named elsewhere, as the client calls it", () => {
    expect(encode("anthropic", { ...OWN, random_seed: 7 }).dropped.toSorted()).toEqual([
      "document_page_limit",
      "prompt_mode",
      "safe_prompt",
      "seed",
    ]);
    const { names } = OPENAI_CHAT.read(incoming({ model: "m", messages: [USER], random_seed: 7 }));
    expect(names).toEqual({ seed: "random_seed" });
  });
});

test.each([
  ["random_seed", { random_seed: "7" }],
  ["tool_choice", { tools: TOOLS, tool_choice: "every" }],
  ["messages[0].content[0].input_audio", { content: [{ type: "input_audio", input_audio: "AA==" }] }],
  ["messages[0].content[0].type", { content: [{ type: "reference", reference_ids: [1] }] }],
  ["messages[0].content[0].type", { content: [{ type: "thinking", thinking: [] }] }],
  ["messages[0].content[0].file", { content: [{ type: "file", file_id: "f1" }] }],
  ["messages[0].content[0].image_url.url", { content: [{ type: "image_url", image_url: "" }] }],
])("the rest is refused by its name: %s", (param, { content, ...fields }: JsonObject) => {
  const messages = content === undefined ? [USER] : [{ ...USER, content }];
  const thrown = (() => {
    try {
      return read({ ...fields, messages });
    } catch (fault) {
      return fault;
    }
  })();
  expect(thrown instanceof Fault && thrown.details.param).toBe(param);
});
