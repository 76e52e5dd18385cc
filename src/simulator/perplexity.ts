// Perplexity's Agent API from the provider's side: `/perplexity/v1/agent`.
import { asArray, asObject, isObject, type JsonObject } from "../core/json/json.ts";
import { renderDataEvent, renderWait } from "./formats.ts";
import { COMMON_STATUS, formatBracketedPath, type Problem, type ProblemKind } from "./problem.ts";
import { signText, takeFirstAnswer } from "./responder.ts";
import {
  readItemsPrompt,
  renderCallItem,
  renderEnding,
  renderMessageItem,
  renderResponse,
  renderResponseUsage,
} from "./response-items.ts";
import { PAGES, QUERY } from "./searches.ts";
import type { Answer, AnswerCall, Exchange, Frame, NamedEvent, Prompt, SimDialect } from "./types.ts";

/** Status codes by kind. `code` repeats the status as a number. */
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

function renderErrorHeaders(problem: Problem): Readonly<Record<string, string>> {
  if (problem.retryAfterSeconds === undefined) return {};
  return { "x-ratelimit-remaining-requests": "0", ...renderWait(problem) };
}

function readPrompt(body: JsonObject, model: string): Prompt {
  const { schema } = asObject(asObject(body.response_format).json_schema);
  const isThinking = isObject(body.reasoning) || model.includes("think");
  return { ...readItemsPrompt(body), format: isObject(schema) ? { schema } : null, isThinking };
}

/** True if the provider searches: with a preset, or with the tool `web_search` unless calls are forbidden. */
function isSearching(body: JsonObject): boolean {
  if (body.preset !== undefined) return body.max_tool_calls !== 0;
  return (
    body.tool_choice !== "none" && asArray(body.tools).some((tool) => asObject(tool).type === "web_search")
  );
}

function renderSearchItem(exchange: Exchange): JsonObject {
  return {
    type: "search_results",
    queries: [QUERY],
    results: PAGES,
    id: `sr_${exchange.id("search", 16)}`,
  };
}

/** Returns the signature of a Google model's call, which the client must send back with the call. */
export function signCall(name: string, input: string): string {
  return signText(`${name}${input}`);
}

/** Renders a call, with a signature if the model is Google's. */
function renderCall(exchange: Exchange, call: AnswerCall, at: number): JsonObject {
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
    ...answer.calls.map((call, at) => renderCall(exchange, call, at)),
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

function renderReply(exchange: Exchange): JsonObject {
  const answer = citeAnswer(exchange);
  const rest = { output: renderOutput(exchange, answer), usage: renderUsage(exchange) };
  return renderResponse(exchange, { ...renderEnding(answer), ...rest });
}

/** Yields the events of the provider's own search: added as a call, done as its results. */
function* renderSearchEvents(
  exchange: Exchange,
  item: JsonObject,
  output_index: number,
): Iterable<NamedEvent> {
  const id = `call_${exchange.id("search", 24)}`;
  const call = { type: "function_call", id: `fc_${id}`, call_id: id, name: "search_web" };
  const added = { item: { ...call, status: "completed", arguments: "{}" }, output_index };
  yield ["start", "response.output_item.added", added];
  const searching = { call_id: id, queries: item.queries, thought: "Searching" };
  yield ["start", "response.reasoning.search_queries", searching];
  const found = { call_id: id, results: item.results, thought: "Found" };
  yield ["start", "response.reasoning.search_results", found];
  yield ["start", "response.output_item.done", { item, output_index }];
}

function* renderMessageEvents(item: JsonObject, answer: Answer, output_index: number): Iterable<NamedEvent> {
  const at = { item_id: item.id, output_index, content_index: 0 };
  yield ["start", "response.output_item.added", { item: { ...item, content: null }, output_index }];
  for (const delta of answer.pieces) yield ["delta", "response.output_text.delta", { ...at, delta }];
  yield ["start", "response.output_text.done", { ...at, text: answer.text }];
  yield ["start", "response.output_item.done", { item, output_index }];
}

function* renderEvents(exchange: Exchange): Iterable<NamedEvent> {
  const answer = citeAnswer(exchange);
  const early = exchange.oddUsage ? { usage: renderUsage(exchange) } : {};
  const begun = { response: renderResponse(exchange, early) };
  yield ["start", "response.created", begun];
  yield ["start", "response.in_progress", begun];
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
  const reply = renderReply(exchange);
  const isReported = asObject(exchange.body.stream_options).include_usage !== false;
  const response = isReported ? reply : { ...reply, usage: null };
  yield ["end", `response.${String(response.status)}`, { response }];
}

/** Yields the stream's frames. Their sequence numbers have gaps, like the real provider's. */
function* renderFrames(exchange: Exchange): Iterable<Frame> {
  let sequence_number = 0;
  for (const [kind, type, fields] of renderEvents(exchange)) {
    yield { kind, text: renderDataEvent({ ...fields, sequence_number, type }) };
    sequence_number += kind === "start" ? 2 : 1;
  }
}

function renderFailed(problem: Problem, exchange: Exchange): JsonObject {
  return renderResponse(exchange, { status: "failed", ...renderErrorBody(problem) });
}

/** Perplexity's Agent API ("Agent API"). A failure has status 200 and `status: "failed"`. */
export const perplexity: SimDialect = {
  name: "perplexity",
  prefix: "/perplexity/v1",
  handles: (path) => path === "/agent" || path === "/responses",
  readModel: ({ body }) => String(body.model ?? body.preset ?? ""),
  readPrompt,
  renderReply,
  renderFrames,
  status: STATUS,
  renderErrorBody,
  renderErrorHeaders,
  renderFailure(problem, exchange) {
    const response = renderFailed(problem, exchange);
    return renderDataEvent({ type: "response.failed", sequence_number: 999, response });
  },
  renderFailedBody: renderFailed,
};
