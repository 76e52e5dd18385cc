// The OpenAI dialect from the provider's side: `/openai/v1/chat/completions` and `/openai/v1/models`.
import { asNumber, asObject, isObject, type JsonObject } from "../core/json/json.ts";
import { FINISH_REASONS, readChatPrompt } from "./chat-messages.ts";
import { renderDataEvent, renderWait } from "./formats.ts";
import { OPENAI_MEDIA } from "./media.ts";
import { SIM_MODELS } from "./models.ts";
import { COMMON_STATUS, formatBracketedPath, type Problem, type ProblemKind, reject } from "./problem.ts";
import { countInputTokens, splitInput } from "./responder.ts";
import type { Answer, Exchange, Frame, Prompt, SimDialect } from "./types.ts";
import { OPENAI_VECTORS } from "./vectors.ts";

/** Status codes by kind ("OpenAI API: Error codes"). */
const STATUS = { ...COMMON_STATUS, no_credit: 429, media_type: 415, overloaded: 529 };

/** Types and codes of the kinds other than a plain `invalid_request_error` without a code. */
const ERRORS: { readonly [K in ProblemKind]?: readonly [type: string, code: string | null] } = {
  bad_key: ["invalid_request_error", "invalid_api_key"],
  no_credit: ["insufficient_quota", "insufficient_quota"],
  forbidden: ["invalid_request_error", "unsupported_country_region_territory"],
  not_found: ["invalid_request_error", "model_not_found"],
  media_type: ["invalid_request_error", "unsupported_content_type"],
  too_large: ["invalid_request_error", "request_too_large"],
  missing: ["invalid_request_error", "missing_required_parameter"],
  unknown: ["invalid_request_error", "unknown_parameter"],
  type: ["invalid_request_error", "invalid_type"],
  value: ["invalid_request_error", "invalid_value"],
  unsupported: ["invalid_request_error", "unsupported_parameter"],
  rate_limit: ["requests", "rate_limit_exceeded"],
  timeout: ["invalid_request_error", "request_timeout"],
  server: ["server_error", null],
  unavailable: ["server_error", null],
  gateway_timeout: ["server_error", null],
  overloaded: ["server_error", "overloaded"],
  context: ["invalid_request_error", "context_length_exceeded"],
  filter: ["invalid_request_error", "content_filter"],
};

function renderErrorBody(problem: Problem): JsonObject {
  const [type, code] = ERRORS[problem.kind] ?? ["invalid_request_error", null];
  const param = problem.path?.length ? formatBracketedPath(problem.path) : null;
  return { error: { message: problem.message, type, param, code: problem.code ?? code } };
}

function renderErrorHeaders(problem: Problem): Readonly<Record<string, string>> {
  const { retryAfterSeconds: seconds } = problem;
  if (seconds === undefined) return { "x-request-id": "req_sim" };
  return {
    "x-request-id": "req_sim",
    "retry-after-ms": String(Math.ceil(seconds * 1000)),
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": `${seconds}s`,
    ...renderWait(problem),
  };
}

/** The error format shared by Chat Completions and Responses. */
export const OPENAI_ERRORS = { status: STATUS, renderErrorBody, renderErrorHeaders };

/** Patterns of OpenAI's own models and their reasoning defaults ("Models", API reference, November 2026). */
const OWN = /^(o\d|gpt-|chatgpt-)/;
const REASONING = /^(o\d|gpt-[5-9]|gpt-.*(-pro|-codex))/;
const NOT_BY_DEFAULT = /^gpt-5\.[1-4](?!.*(-pro|-codex))/;

/** True for one of OpenAI's own models, false for a compatible server's. */
export function isOpenaiModel(model: string): boolean {
  return OWN.test(model);
}

/** True if one of OpenAI's own models reasons. `effort` is the value in the request. */
export function isReasoning(model: string, effort: unknown): boolean {
  if (!REASONING.test(model)) return false;
  return (effort ?? (NOT_BY_DEFAULT.test(model) ? "none" : "medium")) !== "none";
}

function isThinking(body: JsonObject, model: string): boolean {
  if (isOpenaiModel(model)) return isReasoning(model, body.reasoning_effort);
  if (body.reasoning_effort === "none" || asObject(body.thinking).type === "disabled") return false;
  return model.includes("think") || typeof body.reasoning_effort === "string" || isObject(body.thinking);
}

function readPrompt(body: JsonObject, model: string): Prompt {
  const limits = [asNumber(body.max_tokens), asNumber(body.max_completion_tokens)];
  const asked = limits.filter((limit) => limit !== undefined);
  const outputTokensMax = asked.length === 0 ? null : Math.min(...asked);
  return { ...readChatPrompt(body), isThinking: isThinking(body, model), outputTokensMax };
}

/** Returns the visible thinking. OpenAI's own models show none on Chat Completions. */
function selectShownThinking(exchange: Exchange, answer: Answer): string {
  return isOpenaiModel(exchange.model) ? "" : answer.thinking;
}

function renderCalls(exchange: Exchange, answer: Answer): readonly JsonObject[] {
  return answer.calls.map(({ name, input, custom }, at) => {
    const id = `call_${exchange.id(`call ${answer.index} ${at}`, 24)}`;
    return custom
      ? { id, type: "custom", custom: { name, input } }
      : { id, type: "function", function: { name, arguments: input } };
  });
}

/** OpenAI's own limit. Requests aren't validated, so `"top_logprobs": 1e12` would fail with 500 without it. */
const ALTERNATIVES_MAX = 20;

/** Renders log probabilities: one token per piece, with made-up alternatives, most likely first. */
function renderLogprobs(exchange: Exchange, pieces: readonly string[]): JsonObject | null {
  if (exchange.body.logprobs !== true) return null;
  const alternatives = Math.min(asNumber(exchange.body.top_logprobs) ?? 0, ALTERNATIVES_MAX);
  const entry = (token: string, rank: number) => ({
    token,
    logprob: -0.25 * rank,
    bytes: [...new TextEncoder().encode(token)],
  });
  const content = pieces.map((token) => {
    const top = Array.from({ length: alternatives }, (_, rank) =>
      entry(rank ? `${token}${rank}` : token, rank),
    );
    return { ...entry(token, 0), top_logprobs: top };
  });
  return { content, refusal: null };
}

function renderUsage(exchange: Exchange): JsonObject | null {
  if (!exchange.usage) return null;
  const { input, output, cached, reasoning } = exchange.usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function renderHead(exchange: Exchange, object: string): JsonObject {
  const id = `chatcmpl-${exchange.id("completion", 29)}`;
  const shared = { id, object, created: exchange.createdSeconds, model: exchange.model };
  return { ...shared, service_tier: "default", system_fingerprint: null };
}

function renderReply(exchange: Exchange): JsonObject {
  const choices = exchange.answers.map((answer) => {
    const calls = renderCalls(exchange, answer);
    const silent = answer.refusal !== null || calls.length > 0;
    const thinking = selectShownThinking(exchange, answer);
    const message = {
      role: "assistant",
      content: silent ? null : answer.text,
      refusal: answer.refusal,
      annotations: [],
      ...(thinking === "" ? {} : { reasoning_content: thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    const logprobs = renderLogprobs(exchange, answer.pieces);
    return { index: answer.index, message, logprobs, finish_reason: FINISH_REASONS[answer.finish] };
  });
  const usage = renderUsage(exchange);
  return { ...renderHead(exchange, "chat.completion"), choices, ...(usage ? { usage } : {}) };
}

/** Yields each call's name and then its input in two halves, so that clients must join them. */
function* renderCallDeltas(exchange: Exchange, answer: Answer): Iterable<JsonObject> {
  for (const [index, call] of renderCalls(exchange, answer).entries()) {
    const kind = call.type === "custom" ? "custom" : "function";
    const part = kind === "custom" ? "input" : "arguments";
    const { name, ...rest } = asObject(call[kind]);
    const input = String(rest[part]);
    yield { tool_calls: [{ index, id: call.id, type: kind, [kind]: { name, [part]: "" } }] };
    for (const piece of splitInput(input)) yield { tool_calls: [{ index, [kind]: { [part]: piece } }] };
  }
}

function* renderDeltas(exchange: Exchange, answer: Answer): Iterable<readonly [JsonObject, string?]> {
  const thinking = selectShownThinking(exchange, answer);
  for (const piece of thinking.match(/\s*\S+/g) ?? []) yield [{ reasoning_content: piece }];
  for (const piece of answer.pieces) yield [{ content: piece }, piece];
  for (const delta of renderCallDeltas(exchange, answer)) yield [delta];
  if (answer.refusal !== null) yield [{ refusal: answer.refusal }];
}

function* renderFrames(exchange: Exchange): Iterable<Frame> {
  const shared = renderHead(exchange, "chat.completion.chunk");
  const asked = asObject(exchange.body.stream_options).include_usage === true;
  const usage = renderUsage(exchange);
  const chunk = (choices: readonly JsonObject[], counted: JsonObject | null = null) =>
    renderDataEvent({ ...shared, choices, ...(asked || counted ? { usage: counted } : {}) });
  const odd = exchange.oddUsage ? usage : null;
  for (const answer of exchange.answers) {
    const { index } = answer;
    const choice = (delta: JsonObject, finish: string | null = null, logprobs: unknown = null) => ({
      index,
      delta,
      logprobs,
      finish_reason: finish,
    });
    yield { kind: "start", text: chunk([choice({ role: "assistant", content: "", refusal: null })]) };
    for (const [delta, token] of renderDeltas(exchange, answer)) {
      const logprobs = token === undefined ? null : renderLogprobs(exchange, [token]);
      yield { kind: "delta", text: chunk([choice(delta, null, logprobs)], odd) };
    }
    yield { kind: "finish", text: chunk([choice({}, FINISH_REASONS[answer.finish])], odd) };
  }
  if (usage && (asked || odd)) yield { kind: "usage", text: chunk([], usage) };
  if (odd) yield { kind: "usage", text: renderDataEvent({ ...shared, choices: [], x_groq: { usage } }) };
  yield { kind: "end", text: "data: [DONE]\n\n" };
}

function checkContext(prompt: Prompt, model: string): void {
  const most = SIM_MODELS.find(({ name }) => name === model)?.contextTokensMax ?? Infinity;
  const count = countInputTokens(prompt);
  if (count <= most) return;
  const message = `This model's maximum context length is ${most} tokens. However, your messages resulted in ${count} tokens. Please reduce the length of the messages.`;
  reject("context", message, ["messages"]);
}

/** Returns the body of `GET /models`. */
export function listModels(): JsonObject {
  const data = SIM_MODELS.map(({ name }) => ({
    id: name,
    object: "model",
    created: 1_767_225_600,
    owned_by: "sim",
  }));
  return { object: "list", data };
}

/** OpenAI's Chat Completions ("API reference: Chat"). Other names are treated as a compatible server's models. */
export const openai: SimDialect = {
  name: "openai",
  prefix: "/openai/v1",
  handles: (path) => path === "/chat/completions",
  whole: [...OPENAI_VECTORS, ...OPENAI_MEDIA],
  readPrompt: (body, model) => {
    const prompt = readPrompt(body, model);
    checkContext(prompt, model);
    return prompt;
  },
  renderReply,
  renderFrames,
  ...OPENAI_ERRORS,
  renderFailure: (problem) => renderDataEvent(renderErrorBody(problem)),
};
