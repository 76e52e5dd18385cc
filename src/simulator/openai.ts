// The OpenAI dialect from the provider's side: `/openai/v1/chat/completions` and `/openai/v1/models`.
import { asArray, asNumber, asObject, isObject, type JsonObject } from "../core/json.ts";
import { readToolChoice, readTools, readTurns } from "./chat-messages.ts";
import { readBearer, renderDataEvent, renderJsonError } from "./formats.ts";
import { OPENAI_COMPLETIONS, OPENAI_IMAGES, OPENAI_SPEECH, OPENAI_TRANSCRIPTIONS } from "./media.ts";
import { SIM_MODELS } from "./models.ts";
import { isOpenaiModel, isReasoning } from "./openai-models.ts";
import { formatBracketedPath, type Problem, type ProblemKind, reject } from "./problem.ts";
import { countInputTokens, splitInput } from "./responder.ts";
import type { Answer, ErrorAnswer, Exchange, Frame, Prompt, SimDialect } from "./types.ts";
import { countPromptAndTotal, makeEmbeddingsForm, makeRerankForm, OPENAI_MODERATION } from "./vectors.ts";

/** Status, type and code by kind ("OpenAI API: Error codes"). */
const ERRORS: Readonly<Record<ProblemKind, readonly [number, string, string | null]>> = {
  no_key: [401, "invalid_request_error", null],
  bad_key: [401, "invalid_request_error", "invalid_api_key"],
  no_credit: [429, "insufficient_quota", "insufficient_quota"],
  forbidden: [403, "invalid_request_error", "unsupported_country_region_territory"],
  not_found: [404, "invalid_request_error", "model_not_found"],
  media_type: [415, "invalid_request_error", "unsupported_content_type"],
  too_large: [413, "invalid_request_error", "request_too_large"],
  bad_json: [400, "invalid_request_error", null],
  missing: [400, "invalid_request_error", "missing_required_parameter"],
  unknown: [400, "invalid_request_error", "unknown_parameter"],
  type: [400, "invalid_request_error", "invalid_type"],
  value: [400, "invalid_request_error", "invalid_value"],
  unsupported: [400, "invalid_request_error", "unsupported_parameter"],
  unprocessable: [422, "invalid_request_error", null],
  rate_limit: [429, "requests", "rate_limit_exceeded"],
  timeout: [408, "invalid_request_error", "request_timeout"],
  server: [500, "server_error", null],
  unavailable: [503, "server_error", null],
  gateway_timeout: [504, "server_error", null],
  overloaded: [529, "server_error", "overloaded"],
  context: [400, "invalid_request_error", "context_length_exceeded"],
  filter: [400, "invalid_request_error", "content_filter"],
};

/** Renders `{error:{…}}`, which Chat Completions and Responses share. */
export function renderOpenaiErrorBody(problem: Problem): JsonObject {
  const [, type, code] = ERRORS[problem.kind];
  const param = problem.path?.length ? formatBracketedPath(problem.path) : null;
  return { error: { message: problem.message, type, param, code: problem.code ?? code } };
}

/** Renders an error, for Chat Completions and Responses alike. */
export function renderOpenaiError(problem: Problem): ErrorAnswer {
  const seconds = problem.retryAfterSeconds;
  const limits: Record<string, string> =
    seconds === undefined
      ? {}
      : {
          "retry-after-ms": String(Math.ceil(seconds * 1000)),
          "x-ratelimit-remaining-requests": "0",
          "x-ratelimit-reset-requests": `${seconds}s`,
        };
  const headers = { "x-request-id": "req_sim", ...limits };
  return renderJsonError(problem, ERRORS[problem.kind][0], renderOpenaiErrorBody(problem), headers);
}

function readFormat(body: JsonObject): Prompt["format"] {
  const format = asObject(body.response_format);
  if (format.type === "json_object") return { schema: null };
  if (format.type !== "json_schema") return null;
  const { schema } = asObject(format.json_schema);
  return { schema: isObject(schema) ? schema : null };
}

function isThinking(body: JsonObject, model: string): boolean {
  if (isOpenaiModel(model)) return isReasoning(model, body.reasoning_effort);
  if (body.reasoning_effort === "none" || asObject(body.thinking).type === "disabled") return false;
  return model.includes("think") || typeof body.reasoning_effort === "string" || isObject(body.thinking);
}

function readPrompt(body: JsonObject, model: string): Prompt {
  const limits = [asNumber(body.max_tokens), asNumber(body.max_completion_tokens)];
  const asked = limits.filter((limit) => limit !== undefined);
  const { stop } = body;
  return {
    turns: readTurns(body.messages),
    tools: readTools(body.tools, body.tool_choice),
    toolChoice: readToolChoice(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    format: readFormat(body),
    isThinking: isThinking(body, model),
    stop: typeof stop === "string" ? [stop] : asArray(stop).map(String),
    outputTokensMax: asked.length === 0 ? null : Math.min(...asked),
    choices: asNumber(body.n) ?? 1,
  };
}

/** Returns the visible thinking. On Chat Completions, OpenAI's own models show none. */
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

const FINISH = {
  stop: "stop",
  stop_sequence: "stop",
  length: "length",
  tool_calls: "tool_calls",
  refusal: "stop",
};

/** OpenAI's own limit. Requests aren't validated: without it, `"top_logprobs": 1e12` would fail with 500. */
const ALTERNATIVES_MAX = 20;

/** Renders log probabilities, one token a piece, with made-up alternatives; the best comes first. */
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
    return { index: answer.index, message, logprobs, finish_reason: FINISH[answer.finish] };
  });
  const usage = renderUsage(exchange);
  return { ...renderHead(exchange, "chat.completion"), choices, ...(usage ? { usage } : {}) };
}

/** Yields each call's name first and then its input in two halves, so that clients must join them. */
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
    yield { kind: "finish", text: chunk([choice({}, FINISH[answer.finish])], odd) };
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

/** OpenAI's Chat Completions ("API reference: Chat"). Names that aren't OpenAI's are a compatible server's. */
export const openai: SimDialect = {
  name: "openai",
  prefix: "/openai/v1",
  handles: (path) => path === "/chat/completions",
  whole: [
    makeEmbeddingsForm("dimensions", countPromptAndTotal),
    makeRerankForm("results", (tokens) => ({ usage: countPromptAndTotal(tokens) })),
    OPENAI_MODERATION,
    OPENAI_IMAGES,
    OPENAI_SPEECH,
    OPENAI_TRANSCRIPTIONS,
    OPENAI_COMPLETIONS,
  ],
  readSecret: readBearer,
  readModel: ({ body }) => String(body.model ?? ""),
  readPrompt: (body, model) => {
    const prompt = readPrompt(body, model);
    checkContext(prompt, model);
    return prompt;
  },
  renderReply,
  renderFrames,
  renderError: renderOpenaiError,
  renderFailure: (problem) => renderDataEvent(renderOpenaiErrorBody(problem)),
  renderFailedBody: (problem) => JSON.stringify(renderOpenaiErrorBody(problem)),
};
