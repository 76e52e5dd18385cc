// The OpenAI dialect from the provider's side: `/openai/v1/chat/completions` and `/openai/v1/models`.
import { arrayOf, isObject, type JsonObject, numberOf, objectOf } from "../core/json.ts";
import { inputTokens } from "./brain.ts";
import { toolChoiceOf, toolsOf, turnsOf } from "./chat-messages.ts";
import { SIM_MODELS } from "./models.ts";
import { familyOf, reasons } from "./openai-models.ts";
import {
  type Answer,
  bearerOf,
  dataEvent,
  type Frame,
  type Incoming,
  type Prompt,
  type Reading,
  type Script,
  type SimDialect,
} from "./scene.ts";
import { bracketed, type Problem, type ProblemKind, reject } from "./strict.ts";

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

/** `{error:{…}}` as both of OpenAI's interfaces give it. */
export function openaiError(problem: Problem): JsonObject {
  const [, type, code] = ERRORS[problem.kind];
  const param = problem.path?.length ? bracketed(problem.path) : null;
  return { error: { message: problem.message, type, param, code: problem.code ?? code } };
}

/** Status and headers of an error answer of OpenAI's. */
export function openaiErrorHead(problem: Problem): { status: number; headers: Record<string, string> } {
  const status = problem.status ?? ERRORS[problem.kind][0];
  const headers: Record<string, string> = { "content-type": "application/json", "x-request-id": "req_sim" };
  if (problem.retryAfterSeconds !== undefined) {
    headers["retry-after"] = String(Math.ceil(problem.retryAfterSeconds));
    headers["retry-after-ms"] = String(Math.ceil(problem.retryAfterSeconds * 1000));
    headers["x-ratelimit-remaining-requests"] = "0";
    headers["x-ratelimit-reset-requests"] = `${problem.retryAfterSeconds}s`;
  }
  return { status, headers };
}

function formatOf(body: JsonObject): Prompt["format"] {
  const format = objectOf(body.response_format);
  if (format.type === "json_object") return { schema: null };
  if (format.type !== "json_schema") return null;
  const { schema } = objectOf(format.json_schema);
  return { schema: isObject(schema) ? schema : null };
}

function thinks(body: JsonObject, model: string): boolean {
  const family = familyOf(model);
  if (family) return reasons(body, family);
  if (body.reasoning_effort === "none" || objectOf(body.thinking).type === "disabled") return false;
  return model.includes("think") || typeof body.reasoning_effort === "string" || isObject(body.thinking);
}

function promptOf(body: JsonObject, model: string): Prompt {
  const limits = [numberOf(body.max_tokens), numberOf(body.max_completion_tokens)];
  const asked = limits.filter((limit) => limit !== undefined);
  const { stop } = body;
  return {
    turns: turnsOf(body.messages),
    tools: toolsOf(body.tools, body.tool_choice),
    toolChoice: toolChoiceOf(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    format: formatOf(body),
    thinks: thinks(body, model),
    stop: typeof stop === "string" ? [stop] : arrayOf(stop).map(String),
    outputTokensMax: asked.length === 0 ? null : Math.min(...asked),
    choices: numberOf(body.n) ?? 1,
  };
}

/** Only servers that aren't OpenAI show their thinking on Chat Completions. */
function shownThinking(script: Script, answer: Answer): string {
  return familyOf(script.model) ? "" : answer.thinking;
}

function callsOf(script: Script, answer: Answer): readonly JsonObject[] {
  return answer.calls.map(({ name, input, custom }, at) => {
    const id = `call_${script.id(`call ${answer.index} ${at}`, 24)}`;
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

/** As many as OpenAI gives; a request is not validated, and could ask for a billion for each token. */
const ALTERNATIVES_MAX = 20;

/** Each piece a token; the alternatives are made up, the best first. */
function logprobsOf(script: Script, pieces: readonly string[]): JsonObject | null {
  if (script.body.logprobs !== true) return null;
  const alternatives = Math.min(numberOf(script.body.top_logprobs) ?? 0, ALTERNATIVES_MAX);
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

function usageOf(script: Script): JsonObject | null {
  if (!script.usage) return null;
  const { input, output, cached, reasoning } = script.usage;
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

function head(script: Script, object: string): JsonObject {
  const id = `chatcmpl-${script.id("completion", 29)}`;
  const shared = { id, object, created: script.createdSeconds, model: script.model };
  return { ...shared, service_tier: "default", system_fingerprint: null };
}

function whole(script: Script): JsonObject {
  const choices = script.answers.map((answer) => {
    const calls = callsOf(script, answer);
    const silent = answer.refusal !== null || calls.length > 0;
    const thinking = shownThinking(script, answer);
    const message = {
      role: "assistant",
      content: silent ? null : answer.text,
      refusal: answer.refusal,
      annotations: [],
      ...(thinking === "" ? {} : { reasoning_content: thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    const logprobs = logprobsOf(script, answer.pieces);
    return { index: answer.index, message, logprobs, finish_reason: FINISH[answer.finish] };
  });
  const usage = usageOf(script);
  return { ...head(script, "chat.completion"), choices, ...(usage ? { usage } : {}) };
}

/** A call's first fragment and its input in two halves, as models stream it. */
function* callDeltas(script: Script, answer: Answer): Iterable<JsonObject> {
  for (const [index, call] of callsOf(script, answer).entries()) {
    const kind = call.type === "custom" ? "custom" : "function";
    const part = kind === "custom" ? "input" : "arguments";
    const { name, ...rest } = objectOf(call[kind]);
    const input = String(rest[part]);
    const half = Math.ceil(input.length / 2);
    yield { tool_calls: [{ index, id: call.id, type: kind, [kind]: { name, [part]: "" } }] };
    for (const piece of [input.slice(0, half), input.slice(half)])
      if (piece !== "") yield { tool_calls: [{ index, [kind]: { [part]: piece } }] };
  }
}

function* deltas(script: Script, answer: Answer): Iterable<readonly [JsonObject, string?]> {
  const thinking = shownThinking(script, answer);
  for (const piece of thinking.match(/\s*\S+/g) ?? []) yield [{ reasoning_content: piece }];
  for (const piece of answer.pieces) yield [{ content: piece }, piece];
  for (const delta of callDeltas(script, answer)) yield [delta];
  if (answer.refusal !== null) yield [{ refusal: answer.refusal }];
}

function* frames(script: Script): Iterable<Frame> {
  const shared = head(script, "chat.completion.chunk");
  const asked = objectOf(script.body.stream_options).include_usage === true;
  const usage = usageOf(script);
  const chunk = (choices: readonly JsonObject[], counted: JsonObject | null = null) =>
    dataEvent({ ...shared, choices, ...(asked || counted ? { usage: counted } : {}) });
  const odd = script.oddUsage ? usage : null;
  for (const answer of script.answers) {
    const { index } = answer;
    const choice = (delta: JsonObject, finish: string | null = null, logprobs: unknown = null) => ({
      index,
      delta,
      logprobs,
      finish_reason: finish,
    });
    yield { kind: "start", text: chunk([choice({ role: "assistant", content: "", refusal: null })]) };
    for (const [delta, token] of deltas(script, answer)) {
      const logprobs = token === undefined ? null : logprobsOf(script, [token]);
      yield { kind: "delta", text: chunk([choice(delta, null, logprobs)], odd) };
    }
    yield { kind: "finish", text: chunk([choice({}, FINISH[answer.finish])], odd) };
  }
  if (usage && (asked || odd)) yield { kind: "usage", text: chunk([], usage) };
  if (odd) yield { kind: "usage", text: dataEvent({ ...shared, choices: [], x_groq: { usage } }) };
  yield { kind: "end", text: "data: [DONE]\n\n" };
}

function checkContext(prompt: Prompt, model: string): void {
  const most = SIM_MODELS.find(({ name }) => name === model)?.contextTokensMax ?? Infinity;
  const count = inputTokens(prompt);
  if (count <= most) return;
  const message = `This model's maximum context length is ${most} tokens. However, your messages resulted in ${count} tokens. Please reduce the length of the messages.`;
  reject("context", message, ["messages"]);
}

function read({ body }: Incoming, model: string): Reading {
  const prompt = promptOf(body, model);
  checkContext(prompt, model);
  return { streamed: body.stream === true, prompt };
}

/** The body of `GET /models`. */
export function modelList(): JsonObject {
  const data = SIM_MODELS.map(({ name }) => ({
    id: name,
    object: "model",
    created: 1_767_225_600,
    owned_by: "sim",
  }));
  return { object: "list", data };
}

/** OpenAI's Chat Completions ("API reference: Chat"). Its own model names are strict, others are a compatible server's. */
export const openai: SimDialect = {
  name: "openai",
  prefix: "/openai/v1",
  takes: (path) => path === "/chat/completions",
  secretOf: bearerOf,
  modelOf: ({ body }) => String(body.model ?? ""),
  read,
  whole,
  frames,
  error: (problem) => ({ ...openaiErrorHead(problem), body: JSON.stringify(openaiError(problem)) }),
  failure: (problem) => dataEvent(openaiError(problem)),
  failedBody: (problem) => JSON.stringify(openaiError(problem)),
};
