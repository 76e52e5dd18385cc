// The Cohere dialect from the provider's side: `/cohere/v2/chat`.
import { arrayOf, isObject, type JsonObject, numberOf, objectOf } from "../core/json.ts";
import { freshResults } from "./brain.ts";
import { toolChoiceOf, toolsOf, turnsOf } from "./chat-messages.ts";
import {
  type Answer,
  bearerOf,
  type ErrorAnswer,
  type Frame,
  type Incoming,
  namedEvent,
  type Prompt,
  type Reading,
  type Script,
  type SimDialect,
} from "./scene.ts";
import { bracketed, type Problem, type ProblemKind, reject } from "./strict.ts";

/** Status by kind ("Cohere API: Errors"). */
const STATUS: Readonly<Record<ProblemKind, number>> = {
  no_key: 401,
  bad_key: 401,
  no_credit: 402,
  forbidden: 403,
  not_found: 404,
  media_type: 400,
  too_large: 413,
  bad_json: 400,
  missing: 400,
  unknown: 400,
  type: 400,
  value: 400,
  unsupported: 400,
  unprocessable: 422,
  rate_limit: 429,
  timeout: 408,
  server: 500,
  unavailable: 503,
  gateway_timeout: 504,
  overloaded: 503,
  context: 400,
  filter: 400,
};

function messageOf({ kind, message, path = [] }: Problem): string {
  switch (kind) {
    case "no_key":
      return "no api key supplied";
    case "bad_key":
      return "invalid api token";
    case "unknown":
      return `invalid request: unknown field: parameter '${String(path.at(-1))}' is not a valid field`;
    case "context":
      return "too many tokens: size limit exceeded by 25836 tokens. Try using shorter or fewer inputs.";
    default:
      return path.length === 0 ? message : `invalid request: ${bracketed(path)}: ${message}`;
  }
}

function errorBody(problem: Problem): JsonObject {
  const body = { id: "00000000-0000-4000-8000-000000000000", message: messageOf(problem) };
  return problem.kind === "context" ? { ...body, error_type: "TOO_MANY_TOKENS" } : body;
}

function error(problem: Problem): ErrorAnswer {
  const headers = { "content-type": "application/json" };
  return {
    status: problem.status ?? STATUS[problem.kind],
    headers,
    body: JSON.stringify(errorBody(problem)),
  };
}

function objectOrNull(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

function promptOf(body: JsonObject, model: string): Prompt {
  const { type, json_schema: schema, schema: older } = objectOf(body.response_format);
  const { type: thinking } = objectOf(body.thinking);
  return {
    turns: turnsOf(body.messages),
    tools: toolsOf(body.tools),
    toolChoice: toolChoiceOf(body.tool_choice),
    parallelCalls: true,
    format: type === "json_object" ? { schema: objectOrNull(schema ?? older) } : null,
    thinks: thinking === "enabled" || (thinking !== "disabled" && /reasoning|think/.test(model)),
    stop: arrayOf(body.stop_sequences).map(String),
    outputTokensMax: numberOf(body.max_tokens) ?? null,
    choices: 1,
  };
}

const FINISH = {
  stop: "COMPLETE",
  stop_sequence: "STOP_SEQUENCE",
  length: "MAX_TOKENS",
  tool_calls: "TOOL_CALL",
  refusal: "COMPLETE",
} as const;

/** Cohere knows no refusals: they are text. */
function firstAnswer(script: Script): Answer {
  const [answer] = script.answers;
  if (!answer) return reject("server", "Simulator: nothing to answer.");
  if (answer.refusal === null) return answer;
  return { ...answer, text: answer.refusal, pieces: [answer.refusal] };
}

function callsOf(script: Script, answer: Answer): readonly JsonObject[] {
  return answer.calls.map(({ name, input }, at) => {
    const id = `${name}_${script.id(`call ${at}`, 12)}`;
    return { id, type: "function", function: { name, arguments: input } };
  });
}

function planOf({ calls }: Answer): string {
  return `I will use ${calls.map(({ name }) => name).join(" and ")}.`;
}

/** A text on tools' results cites the first of them. */
function citationsOf(script: Script, answer: Answer): readonly JsonObject[] {
  const { prompt } = script.reading;
  const [result] = freshResults(prompt);
  const id = prompt.turns.findLast(({ role }) => role === "tool")?.answers;
  const start = result && result.text !== "" ? answer.text.indexOf(result.text) : -1;
  if (!result || start === -1) return [];
  const source = { type: "tool", id: `${id}:0`, tool_output: { content: result.text } };
  return [
    { start, end: start + result.text.length, text: result.text, sources: [source], type: "TEXT_CONTENT" },
  ];
}

function usageOf({ usage }: Script): JsonObject {
  if (!usage) return {};
  const { input, output, cached, reasoning } = usage;
  const counted = { input_tokens: input, output_tokens: output };
  const tokens = reasoning > 0 ? { ...counted, reasoning_tokens: reasoning } : counted;
  return { usage: { billed_units: counted, tokens, cached_tokens: cached } };
}

function whole(script: Script): JsonObject {
  const answer = firstAnswer(script);
  const calls = callsOf(script, answer);
  const citations = citationsOf(script, answer);
  const content = [
    ...(answer.thinking === "" ? [] : [{ type: "thinking", thinking: answer.thinking }]),
    ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
  ];
  const message = {
    role: "assistant",
    ...(content.length > 0 ? { content } : {}),
    ...(calls.length > 0 ? { tool_plan: planOf(answer), tool_calls: calls } : {}),
    ...(citations.length > 0 ? { citations } : {}),
  };
  return { id: idOf(script), message, finish_reason: FINISH[answer.finish], ...usageOf(script) };
}

function idOf(script: Script): string {
  return script.id("message", 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

type Event = readonly [Frame["kind"], string, JsonObject];

function* contentEvents(
  index: number,
  field: "text" | "thinking",
  pieces: readonly string[],
): Iterable<Event> {
  yield ["start", "content-start", { index, delta: { message: { content: { type: field, [field]: "" } } } }];
  for (const piece of pieces)
    yield ["delta", "content-delta", { index, delta: { message: { content: { [field]: piece } } } }];
  yield ["start", "content-end", { index }];
}

/** A call without arguments sends no delta. */
function* callEvents(call: JsonObject, index: number): Iterable<Event> {
  const called = objectOf(call.function);
  const json = String(called.arguments);
  const half = Math.ceil(json.length / 2);
  const opened = { ...call, function: { ...called, arguments: "" } };
  yield ["delta", "tool-call-start", { index, delta: { message: { tool_calls: opened } } }];
  for (const piece of json === "{}" ? [] : [json.slice(0, half), json.slice(half)])
    yield [
      "delta",
      "tool-call-delta",
      { index, delta: { message: { tool_calls: { function: { arguments: piece } } } } },
    ];
  yield ["start", "tool-call-end", { index }];
}

function* events(script: Script): Iterable<Event> {
  const answer = firstAnswer(script);
  const empty = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] };
  yield ["start", "message-start", { id: idOf(script), delta: { message: empty } }];
  let index = 0;
  if (answer.thinking !== "")
    yield* contentEvents(index++, "thinking", answer.thinking.match(/\s*\S+/g) ?? []);
  if (answer.text !== "") yield* contentEvents(index++, "text", answer.pieces);
  for (const [at, citations] of citationsOf(script, answer).entries()) {
    yield ["start", "citation-start", { index: at, delta: { message: { citations } } }];
    yield ["start", "citation-end", { index: at }];
  }
  const calls = callsOf(script, answer);
  if (calls.length > 0)
    yield ["start", "tool-plan-delta", { delta: { message: { tool_plan: planOf(answer) } } }];
  for (const [at, call] of calls.entries()) yield* callEvents(call, at);
  const delta = { finish_reason: FINISH[answer.finish], ...usageOf(script) };
  if (script.oddUsage) yield ["finish", "message-end", { delta }];
  yield ["finish", "message-end", { delta }];
}

function* frames(script: Script): Iterable<Frame> {
  for (const [kind, type, fields] of events(script))
    yield { kind, text: namedEvent(type, { type, ...fields }) };
  yield { kind: "end", text: "data: [DONE]\n\n" };
}

function failure(problem: Problem): string {
  const delta = { finish_reason: "ERROR", error: messageOf(problem) };
  return namedEvent("message-end", { type: "message-end", delta });
}

function read({ body }: Incoming, model: string): Reading {
  return { streamed: body.stream === true, prompt: promptOf(body, model) };
}

/** Cohere's chat, version 2 ("Cohere API v2: Chat", "Chat with streaming"). */
export const cohere: SimDialect = {
  name: "cohere",
  prefix: "/cohere/v2",
  takes: (path) => path === "/chat",
  secretOf: bearerOf,
  modelOf: ({ body }) => String(body.model ?? ""),
  read,
  whole,
  frames,
  error,
  failure,
  failedBody: (problem) => JSON.stringify(errorBody(problem)),
};
