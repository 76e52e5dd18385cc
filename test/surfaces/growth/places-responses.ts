// The places in which a request of the Responses API can grow.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { INPUTS, list, makeBase64, makePlaces, type Places, SCHEMAS } from "./place.ts";

const HELLO = { role: "user", content: "hello" };

function ask(input: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return { input: [...input], store: false, ...fields };
}

function makeTool(name: string, parameters: JsonObject): JsonObject {
  return { type: "function", name, description: "A tool.", parameters };
}

function makeCall(id: string, text: string): JsonObject {
  return { type: "function_call", call_id: id, name: "look_up", arguments: text };
}

function makeResult(id: string, output: string): JsonObject {
  return { type: "function_call_output", call_id: id, output };
}

const TOOLS = { tools: [makeTool("look_up", { type: "object", properties: {} })] };
const SMALL = '{"a":{"b":[1,2,3]}}';

export const RESPONSES_PLACES: Places = {
  items: (count) =>
    ask(
      list(count, (at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content: [{ type: at % 2 === 0 ? "input_text" : "output_text", text: `text ${at}` }],
      })),
    ),
  parts: (count) =>
    ask([{ role: "user", content: list(count, (at) => ({ type: "input_text", text: `${at}` })) }]),
  "an image": (count) =>
    ask([
      {
        role: "user",
        content: [{ type: "input_image", image_url: `data:image/png;base64,${makeBase64(count)}` }],
      },
    ]),
  "the assistant's items": (count) =>
    ask([
      HELLO,
      ...list(count, (at) => ({ role: "assistant", content: [{ type: "output_text", text: `${at}` }] })),
      HELLO,
    ]),
  "reasoning items": (count) =>
    ask([
      HELLO,
      ...list(count, () => ({
        type: "reasoning",
        summary: [{ type: "summary_text", text: "hm" }],
        encrypted_content: "AAAA",
      })),
      HELLO,
    ]),
  tools: (count) =>
    ask([HELLO], { tools: list(count, (at) => makeTool(`tool_${at}`, { type: "object", properties: {} })) }),
  "tools whose names differ in what is left out": (count) =>
    ask([HELLO], { tools: list(count, (at) => makeTool(`tool.${at}`, { type: "object", properties: {} })) }),
  "calls and results": (count) =>
    ask(
      [HELLO, ...list(count, (at) => [makeCall(`c${at}`, SMALL), makeResult(`c${at}`, SMALL)]).flat()],
      TOOLS,
    ),
  "calls, then results in reverse": (count) =>
    ask(
      [
        HELLO,
        ...list(count, (at) => makeCall(`c${at}`, SMALL)),
        ...list(count, (at) => makeResult(`c${count - at - 1}`, "done")),
      ],
      TOOLS,
    ),
  ...makePlaces("the answer's schema", SCHEMAS, (schema) =>
    ask([HELLO], { text: { format: { type: "json_schema", name: "answer", schema } } }),
  ),
  ...makePlaces("a tool's schema", SCHEMAS, (schema) =>
    ask([HELLO], { tools: [makeTool("look_up", schema)] }),
  ),
  ...makePlaces("arguments", INPUTS, (input) =>
    ask([HELLO, makeCall("c", JSON.stringify(input)), makeResult("c", JSON.stringify(input))], TOOLS),
  ),
};
