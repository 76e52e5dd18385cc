// The places in which a request of the chat-completions API can grow.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { INPUTS, list, makeBase64, makePlaces, type Places, SCHEMAS } from "./place.ts";

const HELLO = { role: "user", content: "hello" };

function ask(messages: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return { messages: [...messages], ...fields };
}

function makeTool(name: string, parameters: JsonObject): JsonObject {
  return { type: "function", function: { name, description: "A tool.", parameters } };
}

function makeCall(id: string, text: string, name = "look_up"): JsonObject {
  return { id, type: "function", function: { name, arguments: text } };
}

function answer(calls: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return { role: "assistant", content: null, tool_calls: calls, ...fields };
}

function makeResult(id: string, content: unknown): JsonObject {
  return { role: "tool", tool_call_id: id, content };
}

const TOOLS = { tools: [makeTool("look_up", { type: "object", properties: {} })] };
const SMALL = '{"a":{"b":[1,2,3]}}';

export const CHAT_PLACES: Places = {
  messages: (count) =>
    ask(list(count, (at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `text ${at}` }))),
  "one user after another": (count) => ask(list(count, () => HELLO)),
  "system messages": (count) => ask([...list(count, () => ({ role: "system", content: "Be kind." })), HELLO]),
  "system messages in between": (count) =>
    ask([HELLO, ...list(count, () => ({ role: "system", content: "Be kind." })), HELLO]),
  "text parts": (count) =>
    ask([{ role: "user", content: list(count, (at) => ({ type: "text", text: `${at}` })) }]),
  "a text": (count) => ask([{ role: "user", content: 'some "words"\n'.repeat(count) }]),
  "an image": (count) =>
    ask([
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${makeBase64(count)}` } }],
      },
    ]),
  images: (count) =>
    ask([
      {
        role: "user",
        content: list(count, () => ({
          type: "image_url",
          image_url: { url: "data:image/png;base64,iVBORw0=" },
        })),
      },
    ]),
  files: (count) =>
    ask([
      {
        role: "user",
        content: list(count, () => ({
          type: "file",
          file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
        })),
      },
    ]),
  "marked parts": (count) =>
    ask([
      {
        role: "user",
        content: list(count, () => ({ type: "text", text: "a", cache_control: { type: "ephemeral" } })),
      },
    ]),
  tools: (count) =>
    ask([HELLO], { tools: list(count, (at) => makeTool(`tool_${at}`, { type: "object", properties: {} })) }),
  "allowed tools": (count) =>
    ask([HELLO], {
      tools: list(count, (at) => makeTool(`tool_${at}`, { type: "object", properties: {} })),
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: {
          mode: "auto",
          tools: list(count, (at) => ({ type: "function", function: { name: `tool_${at}` } })),
        },
      },
    }),
  "calls and results": (count) =>
    ask(
      [
        HELLO,
        ...list(count, (at) => [answer([makeCall(`c${at}`, SMALL)]), makeResult(`c${at}`, SMALL)]).flat(),
      ],
      TOOLS,
    ),
  "calls of one turn, results in reverse": (count) =>
    ask(
      [
        HELLO,
        answer(list(count, (at) => makeCall(`c ${at}`, SMALL))),
        ...list(count, (at) => makeResult(`c ${count - at - 1}`, "done")),
      ],
      TOOLS,
    ),
  "calls with one id": (count) =>
    ask(
      [HELLO, ...list(count, () => [answer([makeCall("c", "{}")]), makeResult("c", "done")]).flat()],
      TOOLS,
    ),
  "thinking with its calls": (count) =>
    ask([
      HELLO,
      answer(
        list(count, (at) => makeCall(`c${at}`, "{}")),
        {
          reasoning_details: list(count, (at) => ({
            type: "reasoning.encrypted",
            format: "google-gemini-v1",
            id: `c${at}`,
            data: "AAAA",
            index: at,
          })),
        },
      ),
      HELLO,
    ]),
  "signed thinking": (count) =>
    ask([
      HELLO,
      {
        role: "assistant",
        content: "yes",
        reasoning_details: list(count, (at) => ({
          type: "reasoning.text",
          format: "anthropic-claude-v1",
          text: "hm",
          signature: "AAAA",
          index: at,
        })),
      },
      HELLO,
    ]),
  "stop sequences": (count) => ask([HELLO], { stop: ["x".repeat(count)] }),
  "text within the braces of no object": (count) =>
    ask([HELLO, answer([makeCall("c", `${"{".repeat(count)}`)])], TOOLS),
  ...makePlaces("the answer's schema", SCHEMAS, (schema) =>
    ask([HELLO], { response_format: { type: "json_schema", json_schema: { name: "answer", schema } } }),
  ),
  ...makePlaces("the answer's strict schema", SCHEMAS, (schema) =>
    ask([HELLO], {
      response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
    }),
  ),
  ...makePlaces("a tool's schema", SCHEMAS, (schema) =>
    ask([HELLO], { tools: [makeTool("look_up", schema)] }),
  ),
  ...makePlaces("arguments", INPUTS, (input) =>
    ask([HELLO, answer([makeCall("c", JSON.stringify(input))]), makeResult("c", "done")], TOOLS),
  ),
  ...makePlaces("a result", INPUTS, (input) =>
    ask([HELLO, answer([makeCall("c", "{}")]), makeResult("c", JSON.stringify(input))], TOOLS),
  ),
};
