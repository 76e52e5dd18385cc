// The dialect of Perplexity's Agent from the provider's side: `/perplexity/v1/agent`.
import { arrayOf, isObject, type JsonObject, numberOf, objectOf } from "../core/json.ts";
import { sign } from "./brain.ts";
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
  dataEvent,
  type ErrorAnswer,
  type Frame,
  type Incoming,
  type Prompt,
  type Reading,
  type Script,
  type SimDialect,
} from "./scene.ts";
import { bracketed, type Problem, type ProblemKind, reject } from "./strict.ts";

/** Status and type by kind; `code` is the status again, a number. */
const ERRORS: Readonly<Record<ProblemKind, readonly [number, string]>> = {
  no_key: [401, "invalid_api_key"],
  bad_key: [401, "invalid_api_key"],
  no_credit: [401, "insufficient_quota"],
  forbidden: [403, "forbidden"],
  not_found: [400, "invalid_model"],
  media_type: [400, "invalid_request"],
  too_large: [413, "request_too_large"],
  bad_json: [400, "invalid_request"],
  missing: [400, "invalid_request"],
  unknown: [400, "invalid_request"],
  type: [400, "invalid_request"],
  value: [400, "invalid_request"],
  unsupported: [400, "invalid_request"],
  unprocessable: [422, "invalid_request"],
  rate_limit: [429, "request_rate_limit_exceeded"],
  timeout: [408, "request_timeout"],
  server: [500, "internal_error"],
  unavailable: [503, "internal_error"],
  gateway_timeout: [504, "gateway_timeout"],
  overloaded: [503, "internal_error"],
  context: [400, "invalid_request"],
  filter: [400, "invalid_request"],
};

function errorBody(problem: Problem): JsonObject {
  const { kind, path = [] } = problem;
  const [status, type] = ERRORS[kind];
  const field = String(path.at(-1));
  const message =
    kind === "unknown" ? `invalid request body: json: unknown field "${field}"` : problem.message;
  const param = path.length === 0 ? {} : { param: kind === "unknown" ? field : bracketed(path) };
  return { error: { message, type, code: problem.status ?? status, ...param } };
}

function error(problem: Problem): ErrorAnswer {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (problem.retryAfterSeconds !== undefined) {
    headers["x-ratelimit-remaining-requests"] = "0";
    headers["retry-after"] = String(Math.ceil(problem.retryAfterSeconds));
  }
  return {
    status: problem.status ?? ERRORS[problem.kind][0],
    headers,
    body: JSON.stringify(errorBody(problem)),
  };
}

function promptOf(body: JsonObject, model: string): Prompt {
  const { schema } = objectOf(objectOf(body.response_format).json_schema);
  return {
    turns: turnsOfInput(body),
    tools: toolsOfResponse(body.tools),
    toolChoice: choiceOfResponse(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    format: isObject(schema) ? { schema } : null,
    thinks: isObject(body.reasoning) || model.includes("think"),
    stop: [],
    outputTokensMax: numberOf(body.max_output_tokens) ?? null,
    choices: 1,
  };
}

const PAGES = [
  { id: 1, url: "https://example.com/one", title: "The first page", snippet: "First.", source: "web" },
  { id: 2, url: "https://example.com/two", title: "The second page", snippet: "Second.", source: "web" },
] as const;

/** Searching happens with a preset, and with the tool where it is forced or nothing else may be called. */
function searches(body: JsonObject): boolean {
  if (body.preset !== undefined) return body.max_tool_calls !== 0;
  return (
    body.tool_choice !== "none" && arrayOf(body.tools).some((tool) => objectOf(tool).type === "web_search")
  );
}

function searchItem(script: Script): JsonObject {
  return {
    type: "search_results",
    queries: ["simulated"],
    results: PAGES,
    id: `sr_${script.id("search", 16)}`,
  };
}

/** The signature on a call of a Google model, which is echoed with it. */
export function callSignature(name: string, input: string): string {
  return sign(`${name}${input}`);
}

/** Calls of Google's models carry a signature. */
function callOf(script: Script, answer: Answer, at: number): JsonObject {
  const call = answer.calls[at];
  if (!call) return reject("server", "Simulator: no such call.");
  const item = callItem(script, call, at, "fc_");
  if (!script.model.startsWith("google/")) return item;
  return { ...item, thought_signature: callSignature(call.name, call.input) };
}

/** The answer with its source cited by number, where it was searched for. */
function cited(script: Script): Answer {
  const [answer] = script.answers;
  if (!answer) return reject("server", "Simulator: nothing to answer.");
  const text = answer.refusal ?? answer.text;
  const plain = { ...answer, refusal: null, text };
  if (answer.refusal !== null) return { ...plain, pieces: [text] };
  if (!searches(script.body) || script.reading.prompt.format || text === "") return plain;
  return { ...plain, text: `${text}[1]`, pieces: [...answer.pieces, "[1]"] };
}

function outputOf(script: Script, answer: Answer): readonly JsonObject[] {
  const message = messageItem(script, answer);
  return [
    ...(searches(script.body) ? [searchItem(script)] : []),
    ...(message ? [message] : []),
    ...answer.calls.map((_, at) => callOf(script, answer, at)),
  ];
}

function usageOf(script: Script): JsonObject | null {
  if (!script.usage) return null;
  const shared = usageOfResponse(script.usage);
  const { cached, written } = script.usage;
  const input_tokens_details = {
    cached_tokens: cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
  };
  const searched = searches(script.body) ? { search_web: { invocation: 1, cost_usd: 0.005 } } : {};
  const cost = { currency: "USD", total_cost: searches(script.body) ? 0.005 : 0 };
  return { ...shared, input_tokens_details, cost, tool_calls_details: searched };
}

function responseOf(script: Script, status: string, rest: JsonObject): JsonObject {
  return {
    id: `resp_${script.id("response", 32)}`,
    object: "response",
    created_at: script.createdSeconds,
    status,
    model: script.model,
    output: [],
    usage: null,
    error: null,
    incomplete_details: null,
    ...rest,
  };
}

function whole(script: Script): JsonObject {
  const answer = cited(script);
  const rest = { output: outputOf(script, answer), usage: usageOf(script) };
  if (answer.finish !== "length") return responseOf(script, "completed", rest);
  return responseOf(script, "incomplete", { ...rest, incomplete_details: { reason: "max_output_tokens" } });
}

type Event = readonly [Frame["kind"], string, JsonObject];

/** The provider's own search looks like a call when it is added and is its results when it is done. */
function* searchEvents(script: Script, item: JsonObject, output_index: number): Iterable<Event> {
  const id = `call_${script.id("search", 24)}`;
  const call = {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name: "search_web",
    status: "completed",
  };
  yield ["start", "response.output_item.added", { item: { ...call, arguments: "{}" }, output_index }];
  yield [
    "start",
    "response.reasoning.search_queries",
    { call_id: id, queries: item.queries, thought: "Searching" },
  ];
  yield [
    "start",
    "response.reasoning.search_results",
    { call_id: id, results: item.results, thought: "Found" },
  ];
  yield ["start", "response.output_item.done", { item, output_index }];
}

function* messageEvents(item: JsonObject, answer: Answer, output_index: number): Iterable<Event> {
  const at = { item_id: item.id, output_index, content_index: 0 };
  yield ["start", "response.output_item.added", { item: { ...item, content: null }, output_index }];
  for (const delta of answer.pieces) yield ["delta", "response.output_text.delta", { ...at, delta }];
  yield ["start", "response.output_text.done", { ...at, text: answer.text }];
  yield ["start", "response.output_item.done", { item, output_index }];
}

function* events(script: Script): Iterable<Event> {
  const answer = cited(script);
  const early = script.oddUsage ? { usage: usageOf(script) } : {};
  yield ["start", "response.created", { response: responseOf(script, "in_progress", early) }];
  yield ["start", "response.in_progress", { response: responseOf(script, "in_progress", early) }];
  if (answer.thinking !== "") {
    yield ["start", "response.reasoning.started", { thought: answer.thinking }];
    yield ["start", "response.reasoning.stopped", { thought: "" }];
  }
  for (const [at, item] of outputOf(script, answer).entries()) {
    if (item.type === "search_results") yield* searchEvents(script, item, at);
    else if (item.type === "message") yield* messageEvents(item, answer, at);
    else {
      yield ["delta", "response.output_item.added", { item, output_index: at }];
      yield ["start", "response.output_item.done", { item, output_index: at }];
    }
  }
  const response = whole(script);
  const told = objectOf(script.body.stream_options).include_usage !== false;
  yield [
    "end",
    `response.${String(response.status)}`,
    { response: told ? response : { ...response, usage: null } },
  ];
}

/** Numbers have gaps, as the real ones do. */
function* frames(script: Script): Iterable<Frame> {
  let sequence_number = 0;
  for (const [kind, type, fields] of events(script)) {
    yield { kind, text: dataEvent({ ...fields, sequence_number, type }) };
    sequence_number += kind === "start" ? 2 : 1;
  }
}

function failed(problem: Problem, script: Script): JsonObject {
  return responseOf(script, "failed", errorBody(problem));
}

function read({ body }: Incoming, model: string): Reading {
  return {
    streamed: body.stream === true,
    prompt: promptOf(body, model),
  };
}

/** Perplexity's Agent ("Agent API"). Failure is a 200 with `status: "failed"`. */
export const perplexity: SimDialect = {
  name: "perplexity",
  prefix: "/perplexity/v1",
  takes: (path) => path === "/agent" || path === "/responses",
  secretOf: bearerOf,
  modelOf: ({ body }) => String(body.model ?? body.preset ?? ""),
  read,
  whole,
  frames,
  error,
  failure: (problem, script) =>
    dataEvent({ type: "response.failed", sequence_number: 999, response: failed(problem, script) }),
  failedBody: (problem, script) => JSON.stringify(failed(problem, script)),
};
