// The dialect of OpenAI's Responses from the provider's side: `/openai/v1/responses`.
import { arrayOf, isObject, type JsonObject, numberOf, objectOf } from "../core/json.ts";
import { sign } from "./brain.ts";
import { openaiError, openaiErrorHead } from "./openai.ts";
import { familyOf } from "./openai-models.ts";
import {
  callItem,
  choiceOfResponse,
  messageItem,
  toolsOfResponse,
  turnsOfInput,
  usageOfResponse,
} from "./response-items.ts";
import {
  type Answer,
  bearerOf,
  type Frame,
  type Incoming,
  namedEvent,
  type Prompt,
  type Reading,
  type Script,
  type SimDialect,
} from "./scene.ts";
import { type Problem, reject } from "./strict.ts";

function thinks(body: JsonObject, model: string): boolean {
  const { effort } = objectOf(body.reasoning);
  const family = familyOf(model);
  if (family) return family.efforts.length > 0 && (effort ?? family.effort) !== "none";
  if (effort === "none") return false;
  return model.includes("think") || typeof effort === "string";
}

function promptOf(body: JsonObject, model: string): Prompt {
  const { type, schema } = objectOf(objectOf(body.text).format);
  const json = type === "json_object" || type === "json_schema";
  return {
    turns: turnsOfInput(body),
    tools: toolsOfResponse(body.tools, body.tool_choice),
    toolChoice: choiceOfResponse(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    format: json ? { schema: isObject(schema) ? schema : null } : null,
    thinks: thinks(body, model),
    stop: [],
    outputTokensMax: numberOf(body.max_output_tokens) ?? null,
    choices: 1,
  };
}

/** What begins the id of a call that was made while thinking. */
export const THOUGHT_CALL = "fc_rs_";

/** Sealed thinking: opaque to the client, and known again wherever it comes back, with its item's id or without. */
export function sealed(secret: string): string {
  return `gAAAA${secret}.${sign(secret)}`;
}

/** Summaries and sealed content come only when they are asked for. */
function reasoningItem(script: Script, answer: Answer): JsonObject {
  const shown = typeof objectOf(script.body.reasoning).summary === "string";
  const summary = shown ? [{ type: "summary_text", text: answer.thinking }] : [];
  const item = { type: "reasoning", id: `rs_${script.id("reasoning", 32)}`, summary };
  const asked = arrayOf(script.body.include).includes("reasoning.encrypted_content");
  return asked ? { ...item, encrypted_content: sealed(script.id("seal", 40)) } : item;
}

function outputOf(script: Script, answer: Answer): readonly JsonObject[] {
  const mark = answer.thinking === "" ? "fc_" : THOUGHT_CALL;
  const message = messageItem(script, answer);
  return [
    ...(answer.thinking === "" ? [] : [reasoningItem(script, answer)]),
    ...(message ? [message] : []),
    ...answer.calls.map((call, at) => callItem(script, call, at, mark)),
  ];
}

function responseOf(script: Script, status: string, rest: JsonObject): JsonObject {
  const { body } = script;
  return {
    id: `resp_${script.id("response", 32)}`,
    object: "response",
    created_at: script.createdSeconds,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: script.model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    store: body.store ?? true,
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    usage: null,
    metadata: {},
    ...rest,
  };
}

function firstAnswer(script: Script): Answer {
  const [answer] = script.answers;
  return answer ?? reject("server", "Simulator: nothing to answer.");
}

function whole(script: Script): JsonObject {
  const answer = firstAnswer(script);
  const rest = {
    output: outputOf(script, answer),
    usage: script.usage ? usageOfResponse(script.usage) : null,
  };
  if (answer.finish !== "length") return responseOf(script, "completed", rest);
  return responseOf(script, "incomplete", { ...rest, incomplete_details: { reason: "max_output_tokens" } });
}

type Event = readonly [Frame["kind"], string, JsonObject];

function* reasoningEvents(item: JsonObject): Iterable<Event> {
  for (const [summary_index, part] of arrayOf(item.summary).entries()) {
    const at = { item_id: item.id, summary_index };
    const text = String(objectOf(part).text);
    yield [
      "start",
      "response.reasoning_summary_part.added",
      { ...at, part: { type: "summary_text", text: "" } },
    ];
    for (const delta of text.match(/\s*\S+/g) ?? [])
      yield ["delta", "response.reasoning_summary_text.delta", { ...at, delta }];
    yield ["start", "response.reasoning_summary_text.done", { ...at, text }];
    yield ["start", "response.reasoning_summary_part.done", { ...at, part }];
  }
}

function* messageEvents(item: JsonObject, answer: Answer): Iterable<Event> {
  const at = { item_id: item.id, content_index: 0 };
  const part = objectOf(arrayOf(item.content)[0]);
  const field = part.type === "refusal" ? "refusal" : "text";
  const mark = field === "refusal" ? "response.refusal" : "response.output_text";
  const pieces = answer.refusal === null ? answer.pieces : [answer.refusal];
  yield ["start", "response.content_part.added", { ...at, part: { ...part, [field]: "" } }];
  for (const delta of pieces) yield ["delta", `${mark}.delta`, { ...at, delta }];
  yield ["start", `${mark}.done`, { ...at, [field]: part[field] }];
  yield ["start", "response.content_part.done", { ...at, part }];
}

function* callEvents(item: JsonObject): Iterable<Event> {
  const custom = item.type === "custom_tool_call";
  const field = custom ? "input" : "arguments";
  const mark = custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const text = String(item[field]);
  const half = Math.ceil(text.length / 2);
  for (const delta of [text.slice(0, half), text.slice(half)])
    if (delta !== "") yield ["delta", `${mark}.delta`, { item_id: item.id, delta }];
  yield ["start", `${mark}.done`, { item_id: item.id, [field]: text }];
}

/** An item as it looks before anything of it came. */
function begun(item: JsonObject): JsonObject {
  switch (item.type) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
    default:
      return { ...item, status: "in_progress", arguments: "" };
  }
}

function* itemEvents(item: JsonObject, output_index: number, answer: Answer): Iterable<Event> {
  yield ["start", "response.output_item.added", { output_index, item: begun(item) }];
  const inner =
    item.type === "reasoning"
      ? reasoningEvents(item)
      : item.type === "message"
        ? messageEvents(item, answer)
        : callEvents(item);
  for (const [kind, type, fields] of inner) yield [kind, type, { output_index, ...fields }];
  yield ["start", "response.output_item.done", { output_index, item }];
}

function* events(script: Script): Iterable<Event> {
  const answer = firstAnswer(script);
  const early = script.oddUsage && script.usage ? { usage: usageOfResponse(script.usage) } : {};
  yield ["start", "response.created", { response: responseOf(script, "in_progress", early) }];
  yield ["start", "response.in_progress", { response: responseOf(script, "in_progress", early) }];
  for (const [at, item] of outputOf(script, answer).entries()) yield* itemEvents(item, at, answer);
  const response = whole(script);
  yield ["end", `response.${String(response.status)}`, { response }];
}

function* frames(script: Script): Iterable<Frame> {
  let sequence_number = 0;
  for (const [kind, type, fields] of events(script))
    yield { kind, text: namedEvent(type, { type, sequence_number: sequence_number++, ...fields }) };
}

function failed(problem: Problem, script: Script): JsonObject {
  const error = { code: "server_error", message: problem.message };
  return responseOf(script, "failed", { error });
}

function failure(problem: Problem, script: Script): string {
  const told = namedEvent("error", { type: "error", sequence_number: 99, ...openaiError(problem) });
  const type = "response.failed";
  return told + namedEvent(type, { type, sequence_number: 100, response: failed(problem, script) });
}

function read({ body }: Incoming, model: string): Reading {
  return { streamed: body.stream === true, prompt: promptOf(body, model) };
}

/** OpenAI's Responses ("API reference: Responses", "Streaming events"). Sealed thinking is checked when it comes back. */
export const responses: SimDialect = {
  name: "responses",
  prefix: "/openai/v1",
  takes: (path) => path === "/responses",
  secretOf: bearerOf,
  modelOf: ({ body }) => String(body.model ?? ""),
  read,
  whole,
  frames,
  error: (problem) => ({ ...openaiErrorHead(problem), body: JSON.stringify(openaiError(problem)) }),
  failure,
  failedBody: (problem, script) => JSON.stringify(failed(problem, script)),
};
