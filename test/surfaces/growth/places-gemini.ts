// The places in which a request of Gemini's API can grow.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { INPUTS, list, makeBase64, makePlaces, type Places, SCHEMAS } from "./place.ts";

const HELLO = { role: "user", parts: [{ text: "hello" }] };

function ask(contents: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return { contents: [...contents], ...fields };
}

function makeTools(declarations: readonly JsonObject[]): JsonObject {
  return { tools: [{ functionDeclarations: declarations }] };
}

function makeTool(name: string, schema: JsonObject): JsonObject {
  return { name, description: "A tool.", parametersJsonSchema: schema };
}

function makeCall(id: string | undefined, args: unknown): JsonObject {
  return { functionCall: { id, name: "look_up", args } };
}

function makeResult(id: string | undefined, response: unknown): JsonObject {
  return { functionResponse: { id, name: "look_up", response } };
}

/** A turn with all calls, then one with all results. */
function callAll(calls: readonly JsonObject[], results: readonly JsonObject[]): JsonObject {
  return ask([HELLO, { role: "model", parts: calls }, { role: "user", parts: results }]);
}

export const GEMINI_PLACES: Places = {
  contents: (count) =>
    ask(list(count, (at) => ({ role: at % 2 === 0 ? "user" : "model", parts: [{ text: `text ${at}` }] }))),
  parts: (count) => ask([{ role: "user", parts: list(count, (at) => ({ text: `${at}` })) }]),
  "the model's parts": (count) =>
    ask([
      HELLO,
      { role: "model", parts: list(count, (at) => ({ text: `${at}`, thoughtSignature: "AAAA" })) },
      HELLO,
    ]),
  "system parts": (count) =>
    ask([HELLO], { systemInstruction: { parts: list(count, () => ({ text: "Be kind." })) } }),
  "an image": (count) =>
    ask([{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: makeBase64(count) } }] }]),
  "an image in URL-safe base64": (count) =>
    ask([{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "_-8_".repeat(count) } }] }]),
  "thoughts and text in turns": (count) =>
    ask([
      HELLO,
      {
        role: "model",
        parts: list(count, (at) => [{ text: "hm", thought: true }, { text: `${at}` }]).flat(),
      },
      HELLO,
    ]),
  declarations: (count) =>
    ask([HELLO], makeTools(list(count, (at) => makeTool(`tool_${at}`, { type: "object", properties: {} })))),
  "calls without ids": (count) =>
    callAll(
      list(count, (at) => makeCall(undefined, { a: at })),
      list(count, (at) => makeResult(undefined, { a: at })),
    ),
  "calls with ids, results in reverse": (count) =>
    callAll(
      list(count, (at) => makeCall(`c${at}`, { a: at })),
      list(count, (at) => makeResult(`c${count - at - 1}`, { a: at })),
    ),
  "signed calls": (count) =>
    ask([
      HELLO,
      {
        role: "model",
        parts: list(count, (at) => ({ ...makeCall(`c${at}`, {}), thoughtSignature: "AAAA" })),
      },
      HELLO,
    ]),
  ...makePlaces("the answer's schema", SCHEMAS, (schema) =>
    ask([HELLO], { generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema } }),
  ),
  ...makePlaces("a declaration's schema", SCHEMAS, (schema) =>
    ask([HELLO], makeTools([makeTool("look_up", schema)])),
  ),
  ...makePlaces("arguments", INPUTS, (input) => callAll([makeCall("c", input)], [makeResult("c", input)])),
};
