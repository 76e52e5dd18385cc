// The Cohere dialect from the provider's side: `/cohere/v2/chat`.
import { asArray, asNumber, asObject, isObject, type JsonObject } from "../core/json/json.ts";
import { readToolChoice, readTools, readTurns } from "./chat-messages.ts";
import { renderTypedEvent } from "./formats.ts";
import { COMMON_STATUS, formatBracketedPath, type Problem } from "./problem.ts";
import { findFreshResults, splitInput, takeFirstAnswer } from "./responder.ts";
import type { Answer, Exchange, Frame, NamedEvent, Prompt, SimDialect } from "./types.ts";
import { COHERE_EMBEDDINGS, makeRerankForm } from "./vectors.ts";

function describeProblem({ kind, message, path = [] }: Problem): string {
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
      return path.length === 0 ? message : `invalid request: ${formatBracketedPath(path)}: ${message}`;
  }
}

function renderErrorBody(problem: Problem): JsonObject {
  const body = { id: "00000000-0000-4000-8000-000000000000", message: describeProblem(problem) };
  return problem.kind === "context" ? { ...body, error_type: "TOO_MANY_TOKENS" } : body;
}

function readPrompt(body: JsonObject, model: string): Prompt {
  const { type, json_schema: schema, schema: older } = asObject(body.response_format);
  const { type: thinking } = asObject(body.thinking);
  return {
    turns: readTurns(body.messages),
    tools: readTools(body.tools),
    toolChoice: readToolChoice(body.tool_choice),
    parallelCalls: true,
    format:
      type === "json_object" ? { schema: isObject(schema) ? schema : isObject(older) ? older : null } : null,
    isThinking: thinking === "enabled" || (thinking !== "disabled" && /reasoning|think/.test(model)),
    stop: asArray(body.stop_sequences).map(String),
    outputTokensMax: asNumber(body.max_tokens) ?? null,
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

/** Returns the first answer. Cohere has no field for refusals, so a refusal is its text. */
function takeAnswer(exchange: Exchange): Answer {
  const answer = takeFirstAnswer(exchange);
  if (answer.refusal === null) return answer;
  return { ...answer, text: answer.refusal, pieces: [answer.refusal] };
}

function renderCalls(exchange: Exchange, answer: Answer): readonly JsonObject[] {
  return answer.calls.map(({ name, input }, at) => {
    const id = `${name}_${exchange.id(`call ${at}`, 12)}`;
    return { id, type: "function", function: { name, arguments: input } };
  });
}

function renderPlan({ calls }: Answer): string {
  return `I will use ${calls.map(({ name }) => name).join(" and ")}.`;
}

/** Returns a citation of the first tool result, if the answer contains its text. */
function renderCitations(exchange: Exchange, answer: Answer): readonly JsonObject[] {
  const { prompt } = exchange;
  const [result] = findFreshResults(prompt);
  const id = prompt.turns.findLast(({ role }) => role === "tool")?.answers;
  const start = result && result.text !== "" ? answer.text.indexOf(result.text) : -1;
  if (!result || start === -1) return [];
  const source = { type: "tool", id: `${id}:0`, tool_output: { content: result.text } };
  return [
    { start, end: start + result.text.length, text: result.text, sources: [source], type: "TEXT_CONTENT" },
  ];
}

function renderUsage({ usage }: Exchange): JsonObject {
  if (!usage) return {};
  const { input, output, cached, reasoning } = usage;
  const counted = { input_tokens: input, output_tokens: output };
  const tokens = reasoning > 0 ? { ...counted, reasoning_tokens: reasoning } : counted;
  return { usage: { billed_units: counted, tokens, cached_tokens: cached } };
}

function renderReply(exchange: Exchange): JsonObject {
  const answer = takeAnswer(exchange);
  const calls = renderCalls(exchange, answer);
  const citations = renderCitations(exchange, answer);
  const content = [
    ...(answer.thinking === "" ? [] : [{ type: "thinking", thinking: answer.thinking }]),
    ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
  ];
  const message = {
    role: "assistant",
    ...(content.length > 0 ? { content } : {}),
    ...(calls.length > 0 ? { tool_plan: renderPlan(answer), tool_calls: calls } : {}),
    ...(citations.length > 0 ? { citations } : {}),
  };
  return { id: makeId(exchange), message, finish_reason: FINISH[answer.finish], ...renderUsage(exchange) };
}

function makeId(exchange: Exchange): string {
  return exchange.id("message", 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function* renderContentEvents(
  index: number,
  field: "text" | "thinking",
  pieces: readonly string[],
): Iterable<NamedEvent> {
  yield ["start", "content-start", { index, delta: { message: { content: { type: field, [field]: "" } } } }];
  for (const piece of pieces)
    yield ["delta", "content-delta", { index, delta: { message: { content: { [field]: piece } } } }];
  yield ["start", "content-end", { index }];
}

/** Yields the events of one call. Cohere sends no delta if the call has no arguments. */
function* renderCallEvents(call: JsonObject, index: number): Iterable<NamedEvent> {
  const called = asObject(call.function);
  const json = String(called.arguments);
  const opened = { ...call, function: { ...called, arguments: "" } };
  yield ["delta", "tool-call-start", { index, delta: { message: { tool_calls: opened } } }];
  for (const piece of json === "{}" ? [] : splitInput(json)) {
    const message = { tool_calls: { function: { arguments: piece } } };
    yield ["delta", "tool-call-delta", { index, delta: { message } }];
  }
  yield ["start", "tool-call-end", { index }];
}

function* renderEvents(exchange: Exchange): Iterable<NamedEvent> {
  const answer = takeAnswer(exchange);
  const empty = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] };
  yield ["start", "message-start", { id: makeId(exchange), delta: { message: empty } }];
  let index = 0;
  if (answer.thinking !== "")
    yield* renderContentEvents(index++, "thinking", answer.thinking.match(/\s*\S+/g) ?? []);
  if (answer.text !== "") yield* renderContentEvents(index++, "text", answer.pieces);
  for (const [at, citations] of renderCitations(exchange, answer).entries()) {
    yield ["start", "citation-start", { index: at, delta: { message: { citations } } }];
    yield ["start", "citation-end", { index: at }];
  }
  const calls = renderCalls(exchange, answer);
  if (calls.length > 0)
    yield ["start", "tool-plan-delta", { delta: { message: { tool_plan: renderPlan(answer) } } }];
  for (const [at, call] of calls.entries()) yield* renderCallEvents(call, at);
  const delta = { finish_reason: FINISH[answer.finish], ...renderUsage(exchange) };
  if (exchange.oddUsage) yield ["finish", "message-end", { delta }];
  yield ["finish", "message-end", { delta }];
}

function* renderFrames(exchange: Exchange): Iterable<Frame> {
  for (const [kind, type, fields] of renderEvents(exchange))
    yield { kind, text: renderTypedEvent(type, fields) };
  yield { kind: "end", text: "data: [DONE]\n\n" };
}

function renderFailure(problem: Problem): string {
  const delta = { finish_reason: "ERROR", error: describeProblem(problem) };
  return renderTypedEvent("message-end", { delta });
}

/** Cohere's Chat API, version 2 ("Cohere API v2: Chat", "Chat with streaming"). */
export const cohere: SimDialect = {
  name: "cohere",
  prefix: "/cohere/v2",
  handles: (path) => path === "/chat",
  whole: [
    COHERE_EMBEDDINGS,
    makeRerankForm("results", (_tokens, units) => ({ meta: { billed_units: { search_units: units } } })),
  ],
  readPrompt,
  renderReply,
  renderFrames,
  status: COMMON_STATUS,
  renderErrorBody,
  // Cohere sends no Retry-After.
  renderErrorHeaders: () => ({}),
  renderFailure,
};
