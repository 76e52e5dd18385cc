// Adds what an API demands around a thing: a model, a limit, a call for each result, a person's turn at the end.
import { asArray, asObject, isObject, type JsonObject } from "../../../../src/core/json/json.ts";

const PERSON = { role: "user", content: "hello" };
const PICTURE = "data:image/png;base64,iVBORw0KGgo=";
const MEDIA: Readonly<Record<string, string>> = {
  audio: "audio/mp3",
  document: "text/plain",
  image: "image/png",
  video: "video/mp4",
};

export function completeBody(path: string, body: JsonObject, model: string): JsonObject {
  const given = asObject(fillObjects(body));
  switch (path) {
    case "/v1/messages":
      return { ...given, model, max_tokens: 1000, messages: completeTurns(asArray(given.messages)) };
    case "/v1/chat/completions":
      return {
        ...given,
        model,
        messages: completeMessages(asArray(given.messages)),
        ...addTools(given, nestTool),
      };
    case "/v1/responses":
      return { ...given, model, input: completeItems(given.input), ...addTools(given, (tool) => tool) };
    case "/v1/interactions":
      return { ...given, model, store: false, input: completeSteps(given.input) };
    case "/v1/images/edits":
      return { ...given, model, image: [PICTURE] };
    default:
      return path.includes("{model}") ? completeGemini(given) : { ...given, model };
  }
}

/** Fields that an API demands of objects, though the SDK's types don't. */
function fillObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fillObjects);
  if (!isObject(value)) return value;
  const filled = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillObjects(one)]));
  return { ...listDemanded(filled), ...filled };
}

function listDemanded({ type, filename, uri, data, name }: JsonObject): JsonObject {
  const media = MEDIA[String(type)];
  if (filename !== undefined) return { file_data: "data:text/plain;base64,aGVsbG8=" };
  if (type === "function_call_output" || type === "custom_tool_call_output") return { call_id: "call_1" };
  if (type === "reasoning") return { encrypted_content: "aGVsbG8=" };
  if (type === "function" && name === undefined) return { name: "look" };
  if (media === undefined) return {};
  return { mime_type: media, ...(uri === undefined && data === undefined ? { data: "aGVsbG8=" } : {}) };
}

const FUNCTION = { type: "function", name: "look", parameters: { type: "object", properties: {} } };

function nestTool({ type, ...held }: JsonObject): JsonObject {
  return { type, [String(type)]: held };
}

/** A choice between tools needs some. */
function addTools(
  { tool_choice: choice, function_call: call, tools }: JsonObject,
  write: (tool: JsonObject) => JsonObject,
): JsonObject {
  if (tools !== undefined || (choice === undefined && call === undefined)) return {};
  return { tools: [write(FUNCTION)] };
}

function completeMessages(given: readonly unknown[]): readonly unknown[] {
  const messages = given.map(asObject);
  const [first] = messages;
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
  if (first?.role === "tool") {
    const asked = { role: "assistant", content: null, tool_calls: [call] };
    return [PERSON, asked, { ...first, tool_call_id: "call_1" }];
  }
  if (first?.role === "function") {
    const asked = { role: "assistant", content: null, function_call: { name: "look", arguments: "{}" } };
    return [PERSON, asked, { ...first, name: "look" }];
  }
  const calls = asArray(first?.tool_calls).map(asObject);
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "done" }));
  return [...messages, ...results, PERSON];
}

/** The blocks that only a model writes. */
const MODEL_BLOCKS =
  /^(thinking|redacted_thinking|tool_use|server_tool_use|mcp_tool_use|compaction|fallback)$|_tool_result$/;

function completeTurns(given: readonly unknown[]): readonly unknown[] {
  const turns = given.map(asObject);
  const blocks = turns.flatMap(({ content }) => asArray(content).map(asObject));
  const results = blocks.filter(({ type }) => type === "tool_result");
  if (results.length > 0) {
    const uses = results.map(({ tool_use_id: id }) => ({ type: "tool_use", id, name: "look", input: {} }));
    return [
      PERSON,
      { role: "assistant", content: uses },
      ...turns.map((turn) => ({ ...turn, role: "user" })),
    ];
  }
  const uses = blocks.filter(({ type }) => type === "tool_use");
  const done = uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "done" }));
  const isModel = blocks.some(({ type }) => MODEL_BLOCKS.test(String(type)));
  const own = isModel ? turns.map((turn) => ({ ...turn, role: "assistant" })) : turns;
  return [PERSON, ...own, done.length > 0 ? { role: "user", content: done } : PERSON];
}

function completeItems(input: unknown): unknown {
  if (!Array.isArray(input)) return input ?? "hello";
  const items = input.map(asObject);
  const call = (call_id: unknown) => ({ type: "function_call", call_id, name: "look", arguments: "{}" });
  const before = items.flatMap(({ type, call_id }): readonly JsonObject[] => {
    if (type === "function_call_output") return [call(call_id)];
    return type === "custom_tool_call_output"
      ? [{ type: "custom_tool_call", call_id, name: "look", input: "a" }]
      : [];
  });
  const after = items.flatMap(({ type, call_id }) =>
    type === "function_call" || type === "custom_tool_call"
      ? [{ type: `${type}_output`, call_id, output: "done" }]
      : [],
  );
  return [PERSON, ...before, ...items, ...after, PERSON];
}

function completeSteps(input: unknown): unknown {
  if (input === undefined) return "hello";
  const items = (Array.isArray(input) ? input : [input]).map(asObject);
  const before = items.flatMap(({ type, call_id: id }) =>
    type === "function_result" ? [{ type: "function_call", id, name: "look", arguments: {} }] : [],
  );
  const after = items.flatMap(({ type, id, name }) =>
    type === "function_call" ? [{ type: "function_result", call_id: id, name, result: "done" }] : [],
  );
  return before.length + after.length === 0
    ? input
    : [{ type: "user_input", content: "hello" }, ...before, ...items, ...after];
}

function completeGemini(body: JsonObject): JsonObject {
  if ("content" in body)
    return { ...body, content: { parts: [{ text: "hello" }], ...asObject(body.content) } };
  const contents = asArray(body.contents).map(asObject);
  const person = { role: "user", parts: [{ text: "hello" }] };
  const parts = contents.flatMap((content) => asArray(content.parts).map(asObject));
  const result = parts.find((part) => "functionResponse" in part);
  if (result) {
    const { name = "look" } = asObject(result.functionResponse);
    const asked = { role: "model", parts: [{ functionCall: { name, args: {} } }] };
    const given = parts.map(({ functionResponse }) => ({
      functionResponse: { name, response: {}, ...asObject(functionResponse) },
    }));
    return { ...body, contents: [person, asked, { role: "user", parts: given }] };
  }
  const filled = contents.map((content) => ({ role: "user", parts: [{ text: "hello" }], ...content }));
  return { ...body, contents: filled.length === 0 ? [person] : filled };
}
