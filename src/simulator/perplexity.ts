// The dialect of Perplexity's Agent from the provider's side: `/perplexity/v1/agent`.
import { asArray, asNumber, asObject, isObject, type JsonObject } from "../core/json.ts";
import { readBearer, renderDataEvent, renderJsonError } from "./formats.ts";
import { COMMON_STATUS, formatBracketedPath, type Problem, type ProblemKind, reject } from "./problem.ts";
import { sign, takeFirstAnswer } from "./responder.ts";
import {
  readInputTurns,
  readResponseToolChoice,
  readResponseTools,
  renderCallItem,
  renderMessageItem,
  renderResponseUsage,
} from "./response-items.ts";
import type { Answer, ErrorAnswer, Exchange, Frame, Prompt, SimDialect } from "./types.ts";

/** Status by kind; `code` repeats it as a number. */
const STATUS = { ...COMMON_STATUS, no_credit: 401, not_found: 400 };

/** Error types other than `invalid_request`. */
const TYPES: { readonly [K in ProblemKind]?: string } = {
  no_key: "invalid_api_key",
  bad_key: "invalid_api_key",
  no_credit: "insufficient_quota",
  forbidden: "forbidden",
  not_found: "invalid_model",
  too_large: "request_too_large",
  rate_limit: "request_rate_limit_exceeded",
  timeout: "request_timeout",
  server: "internal_error",
  unavailable: "internal_error",
  gateway_timeout: "gateway_timeout",
  overloaded: "internal_error",
};

function renderErrorBody(problem: Problem): JsonObject {
  const { kind, path = [] } = problem;
  const type = TYPES[kind] ?? "invalid_request";
  const field = String(path.at(-1));
  const message =
    kind === "unknown" ? `invalid request body: json: unknown field "${field}"` : problem.message;
  const param = path.length === 0 ? {} : { param: kind === "unknown" ? field : formatBracketedPath(path) };
  return { error: { message, type, code: problem.status ?? STATUS[kind], ...param } };
}

function renderError(problem: Problem): ErrorAnswer {
  const headers: Record<string, string> =
    problem.retryAfterSeconds === undefined ? {} : { "x-ratelimit-remaining-requests": "0" };
  return renderJsonError(problem, STATUS[problem.kind], renderErrorBody(problem), headers);
}

function readPrompt(body: JsonObject, model: string): Prompt {
  const { schema } = asObject(asObject(body.response_format).json_schema);
  return {
    turns: readInputTurns(body),
    tools: readResponseTools(body.tools),
    toolChoice: readResponseToolChoice(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    format: isObject(schema) ? { schema } : null,
    isThinking: isObject(body.reasoning) || model.includes("think"),
    stop: [],
    outputTokensMax: asNumber(body.max_output_tokens) ?? null,
    choices: 1,
  };
}

const PAGES = [
  { id: 1, url: "https://example.com/one", title: "The first page", snippet: "First.", source: "web" },
  { id: 2, url: "https://example.com/two", title: "The second page", snippet: "Second.", source: "web" },
] as const;

/** True if the provider searches: with a preset, and with the tool `web_search` unless calls are forbidden. */
function isSearching(body: JsonObject): boolean {
  if (body.preset !== undefined) return body.max_tool_calls !== 0;
  return (
    body.tool_choice !== "none" && asArray(body.tools).some((tool) => asObject(tool).type === "web_search")
  );
}

function renderSearchItem(exchange: Exchange): JsonObject {
  return {
    type: "search_results",
    queries: ["simulated"],
    results: PAGES,
    id: `sr_${exchange.id("search", 16)}`,
  };
}

/** Returns the signature of a Google model's call, which must come back with it. */
export function signCall(name: string, input: string): string {
  return sign(`${name}${input}`);
}

/** Renders a call, with a signature if the model is Google's. */
function renderCall(exchange: Exchange, answer: Answer, at: number): JsonObject {
  const call = answer.calls[at];
  if (!call) return reject("server", "Simulator: no such call.");
  const item = renderCallItem(exchange, call, at, "fc_");
  if (!exchange.model.startsWith("google/")) return item;
  return { ...item, thought_signature: signCall(call.name, call.input) };
}

/** Returns the answer, with a numbered citation if the provider searched. A refusal is its text. */
function citeAnswer(exchange: Exchange): Answer {
  const answer = takeFirstAnswer(exchange);
  const text = answer.refusal ?? answer.text;
  const plain = { ...answer, refusal: null, text };
  if (answer.refusal !== null) return { ...plain, pieces: [text] };
  if (!isSearching(exchange.body) || exchange.prompt.format || text === "") return plain;
  return { ...plain, text: `${text}[1]`, pieces: [...answer.pieces, "[1]"] };
}

function renderOutput(exchange: Exchange, answer: Answer): readonly JsonObject[] {
  const message = renderMessageItem(exchange, answer);
  return [
    ...(isSearching(exchange.body) ? [renderSearchItem(exchange)] : []),
    ...(message ? [message] : []),
    ...answer.calls.map((_, at) => renderCall(exchange, answer, at)),
  ];
}

function renderUsage(exchange: Exchange): JsonObject | null {
  if (!exchange.usage) return null;
  const shared = renderResponseUsage(exchange.usage);
  const { cached, written } = exchange.usage;
  const input_tokens_details = {
    cached_tokens: cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
  };
  const searched = isSearching(exchange.body) ? { search_web: { invocation: 1, cost_usd: 0.005 } } : {};
  const cost = { currency: "USD", total_cost: isSearching(exchange.body) ? 0.005 : 0 };
  return { ...shared, input_tokens_details, cost, tool_calls_details: searched };
}

function renderResponse(exchange: Exchange, status: string, rest: JsonObject): JsonObject {
  return {
    id: `resp_${exchange.id("response", 32)}`,
    object: "response",
    created_at: exchange.createdSeconds,
    status,
    model: exchange.model,
    output: [],
    usage: null,
    error: null,
    incomplete_details: null,
    ...rest,
  };
}

function renderReply(exchange: Exchange): JsonObject {
  const answer = citeAnswer(exchange);
  const rest = { output: renderOutput(exchange, answer), usage: renderUsage(exchange) };
  if (answer.finish !== "length") return renderResponse(exchange, "completed", rest);
  return renderResponse(exchange, "incomplete", {
    ...rest,
    incomplete_details: { reason: "max_output_tokens" },
  });
}

type Event = readonly [Frame["kind"], string, JsonObject];

/** Yields the events of the provider's own search: it is added as a call and done as its results. */
function* renderSearchEvents(exchange: Exchange, item: JsonObject, output_index: number): Iterable<Event> {
  const id = `call_${exchange.id("search", 24)}`;
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

function* renderMessageEvents(item: JsonObject, answer: Answer, output_index: number): Iterable<Event> {
  const at = { item_id: item.id, output_index, content_index: 0 };
  yield ["start", "response.output_item.added", { item: { ...item, content: null }, output_index }];
  for (const delta of answer.pieces) yield ["delta", "response.output_text.delta", { ...at, delta }];
  yield ["start", "response.output_text.done", { ...at, text: answer.text }];
  yield ["start", "response.output_item.done", { item, output_index }];
}

function* renderEvents(exchange: Exchange): Iterable<Event> {
  const answer = citeAnswer(exchange);
  const early = exchange.oddUsage ? { usage: renderUsage(exchange) } : {};
  yield ["start", "response.created", { response: renderResponse(exchange, "in_progress", early) }];
  yield ["start", "response.in_progress", { response: renderResponse(exchange, "in_progress", early) }];
  if (answer.thinking !== "") {
    yield ["start", "response.reasoning.started", { thought: answer.thinking }];
    yield ["start", "response.reasoning.stopped", { thought: "" }];
  }
  for (const [at, item] of renderOutput(exchange, answer).entries()) {
    if (item.type === "search_results") yield* renderSearchEvents(exchange, item, at);
    else if (item.type === "message") yield* renderMessageEvents(item, answer, at);
    else {
      yield ["delta", "response.output_item.added", { item, output_index: at }];
      yield ["start", "response.output_item.done", { item, output_index: at }];
    }
  }
  const response = renderReply(exchange);
  const isReported = asObject(exchange.body.stream_options).include_usage !== false;
  yield [
    "end",
    `response.${String(response.status)}`,
    { response: isReported ? response : { ...response, usage: null } },
  ];
}

/** Yields the stream's frames. Their numbers have gaps, like those of the real provider. */
function* renderFrames(exchange: Exchange): Iterable<Frame> {
  let sequence_number = 0;
  for (const [kind, type, fields] of renderEvents(exchange)) {
    yield { kind, text: renderDataEvent({ ...fields, sequence_number, type }) };
    sequence_number += kind === "start" ? 2 : 1;
  }
}

function renderFailed(problem: Problem, exchange: Exchange): JsonObject {
  return renderResponse(exchange, "failed", renderErrorBody(problem));
}

/** Perplexity's Agent ("Agent API"). Failure is a 200 with `status: "failed"`. */
export const perplexity: SimDialect = {
  name: "perplexity",
  prefix: "/perplexity/v1",
  handles: (path) => path === "/agent" || path === "/responses",
  readSecret: readBearer,
  readModel: ({ body }) => String(body.model ?? body.preset ?? ""),
  readPrompt,
  renderReply,
  renderFrames,
  renderError,
  renderFailure: (problem, exchange) =>
    renderDataEvent({
      type: "response.failed",
      sequence_number: 999,
      response: renderFailed(problem, exchange),
    }),
  renderFailedBody: (problem, exchange) => JSON.stringify(renderFailed(problem, exchange)),
};
