// The places in which a request for an interaction can grow.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { list, makeBase64, type Places, SCHEMAS } from "./place.ts";

const say = (text: string): JsonObject => ({ type: "text", text });
const HELLO = { type: "user_input", content: [say("hello")] };

function ask(steps: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return { input: [...steps, HELLO], ...fields };
}

const makeCall = (id: string, given: JsonObject = {}): JsonObject => ({
  type: "function_call",
  id,
  name: "look_up",
  arguments: given,
});
const makeResult = (id: string, result: unknown = "done"): JsonObject => ({
  type: "function_result",
  call_id: id,
  result,
});
const makeTool = (name: string, parameters: JsonObject): JsonObject => ({
  type: "function",
  name,
  parameters,
});

export const INTERACTION_PLACES: Places = {
  steps: (count) =>
    ask(list(count, (at) => [HELLO, { type: "model_output", content: [say(`text ${at}`)] }]).flat()),
  contents: (count) => ({ input: list(count, (at) => say(`${at}`)) }),
  "the model's contents": (count) =>
    ask([HELLO, { type: "model_output", content: list(count, (at) => say(`${at}`)) }]),
  "an image": (count) => ({ input: [{ type: "image", mime_type: "image/png", data: makeBase64(count) }] }),
  "thoughts and texts in turns": (count) =>
    ask([
      HELLO,
      ...list(count, (at) => [
        { type: "thought", signature: "AAAA", summary: [say("hm")] },
        { type: "model_output", content: [say(`${at}`)] },
      ]).flat(),
    ]),
  "parallel calls": (count) =>
    ask([HELLO, ...list(count, (at) => makeCall(`c${at}`)), ...list(count, (at) => makeResult(`c${at}`))]),
  "calls one after another": (count) =>
    ask([HELLO, ...list(count, (at) => [makeCall(`c${at}`), makeResult(`c${at}`)]).flat()]),
  "arguments and a result": (count) =>
    ask([
      HELLO,
      makeCall("c", { list: list(count, Number) }),
      makeResult("c", { list: list(count, Number) }),
    ]),
  "a result's contents": (count) =>
    ask([
      HELLO,
      makeCall("c"),
      makeResult(
        "c",
        list(count, (at) => say(`${at}`)),
      ),
    ]),
  searches: (count) =>
    ask([
      HELLO,
      ...list(count, (at) => [
        { type: "google_search_call", id: `s${at}`, arguments: { queries: ["weather"] } },
        { type: "google_search_result", call_id: `s${at}`, result: [{ url: "https://a.test", title: "A" }] },
      ]).flat(),
    ]),
  tools: (count) =>
    ask([HELLO], { tools: list(count, (at) => makeTool(`tool_${at}`, { type: "object", properties: {} })) }),
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [
      `a function's schema: ${name}`,
      (count: number) => ask([HELLO], { tools: [makeTool("look_up", schema(count))] }),
    ]),
  ),
};
