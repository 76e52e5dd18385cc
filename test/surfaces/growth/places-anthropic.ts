// The places in which a request of the Messages API can grow.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { INPUTS, list, makeBase64, makePlaces, type Places, SCHEMAS } from "./place.ts";

const HELLO = { role: "user", content: "hello" };

function ask(messages: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return { max_tokens: 100, messages: [...messages], ...fields };
}

function makeTool(name: string, schema: JsonObject): JsonObject {
  return { name, description: "A tool.", input_schema: schema };
}

function makeCall(id: string, input: unknown): JsonObject {
  return { type: "tool_use", id, name: "look_up", input };
}

function makeResult(id: string, content: unknown): JsonObject {
  return { type: "tool_result", tool_use_id: id, content };
}

function converse(content: readonly JsonObject[]): JsonObject {
  return ask([HELLO, { role: "assistant", content }, HELLO]);
}

const TOOLS = { tools: [makeTool("look_up", { type: "object", properties: {} })] };

export const ANTHROPIC_PLACES: Places = {
  messages: (count) =>
    ask(list(count, (at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `text ${at}` }))),
  "system blocks": (count) =>
    ask([HELLO], { system: list(count, () => ({ type: "text", text: "Be kind." })) }),
  "text blocks": (count) =>
    ask([{ role: "user", content: list(count, (at) => ({ type: "text", text: `${at}` })) }]),
  "the assistant's text blocks": (count) => converse(list(count, (at) => ({ type: "text", text: `${at}` }))),
  "an image": (count) =>
    ask([
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: makeBase64(count) } },
        ],
      },
    ]),
  documents: (count) =>
    ask([
      {
        role: "user",
        content: list(count, () => ({
          type: "document",
          title: "a",
          source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
        })),
      },
    ]),
  "thinking and text in turns": (count) =>
    converse(
      list(count, (at) => [
        { type: "thinking", thinking: "hm", signature: "AAAA" },
        { type: "text", text: `${at}` },
      ]).flat(),
    ),
  tools: (count) =>
    ask([HELLO], { tools: list(count, (at) => makeTool(`tool_${at}`, { type: "object", properties: {} })) }),
  "calls and results": (count) =>
    ask(
      [
        HELLO,
        ...list(count, (at) => [
          { role: "assistant", content: [makeCall(`c${at}`, { a: [at] })] },
          { role: "user", content: [makeResult(`c${at}`, `{"a":${at}}`)] },
        ]).flat(),
      ],
      TOOLS,
    ),
  "calls of one turn, results in reverse": (count) =>
    ask(
      [
        HELLO,
        { role: "assistant", content: list(count, (at) => makeCall(`c${at}`, { a: at })) },
        { role: "user", content: list(count, (at) => makeResult(`c${count - at - 1}`, "done")) },
      ],
      TOOLS,
    ),
  ...makePlaces("the answer's schema", SCHEMAS, (schema) =>
    ask([HELLO], { output_config: { format: { type: "json_schema", schema } } }),
  ),
  ...makePlaces("a tool's schema", SCHEMAS, (schema) =>
    ask([HELLO], { tools: [makeTool("look_up", schema)] }),
  ),
  ...makePlaces("arguments", INPUTS, (input) =>
    ask(
      [
        HELLO,
        { role: "assistant", content: [makeCall("c", input)] },
        { role: "user", content: [makeResult("c", JSON.stringify(input))] },
      ],
      TOOLS,
    ),
  ),
};
