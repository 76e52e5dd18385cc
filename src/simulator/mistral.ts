// The Mistral dialect from the provider's side: `/mistral/v1/chat/completions`.
import { asNumber, type JsonObject } from "../core/json/json.ts";
import { FINISH_REASONS, readChatPrompt } from "./chat-messages.ts";
import { renderDataEvent, renderWait } from "./formats.ts";
import { COMMON_STATUS, type Problem, type ProblemKind } from "./problem.ts";
import type { Answer, Exchange, Frame, Prompt, SimDialect } from "./types.ts";
import { countPromptAndTotal, MISTRAL_MODERATION, makeEmbeddingsForm } from "./vectors.ts";

/** Status codes by kind ("Mistral API: Errors"). 422 means that the request doesn't match the schema. */
const STATUS = {
  ...COMMON_STATUS,
  not_found: 400,
  media_type: 422,
  bad_json: 422,
  missing: 422,
  unknown: 422,
  type: 422,
  value: 422,
  filter: 403,
};

const CODES: { readonly [K in ProblemKind]?: readonly [string, string] } = {
  not_found: ["invalid_model", "1500"],
  rate_limit: ["rate_limited", "1300"],
  unsupported: ["invalid_request_message_order", "3230"],
  context: ["invalid_request_prompt_too_long", "3051"],
};

const SCHEMA: { readonly [K in ProblemKind]?: readonly [string, string] } = {
  missing: ["missing", "Field required"],
  unknown: ["extra_forbidden", "Extra inputs are not permitted"],
  type: ["type_error", "Input should be of another type"],
  bad_json: ["json_invalid", "JSON decode error"],
};

function renderErrorBody(problem: Problem): JsonObject {
  const { kind, message, path = [] } = problem;
  if (kind === "no_key" || kind === "bad_key")
    return { detail: kind === "bad_key" ? "Invalid API Key" : "Unauthorized" };
  const status = problem.status ?? STATUS[kind];
  if (status === 422) {
    const [type, msg] = SCHEMA[kind] ?? ["value_error", message];
    return { detail: [{ type, loc: ["body", ...path], msg, input: null }] };
  }
  const [type, code] = CODES[kind] ?? ["invalid_request_error", null];
  return { object: "error", message, type, param: null, code, raw_status_code: status };
}

function readPrompt(body: JsonObject, model: string): Prompt {
  const isThinking = body.reasoning_effort === "high" || /^magistral|think/.test(model);
  return { ...readChatPrompt(body), isThinking, outputTokensMax: asNumber(body.max_tokens) ?? null };
}

const renderThinking = (words: string) => ({ type: "thinking", thinking: [{ type: "text", text: words }] });

/** Renders calls as Mistral does: ids of nine letters and digits, unsplit arguments, no type. */
function renderCalls(exchange: Exchange, answer: Answer): readonly JsonObject[] {
  return answer.calls.map(({ name, input }, index) => ({
    id: exchange.id(`call ${answer.index} ${index}`, 9),
    function: { name, arguments: input },
    index,
  }));
}

function renderUsage({ usage }: Exchange): JsonObject {
  if (!usage) return {};
  const { input, output, cached } = usage;
  const counts = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return { usage: { ...counts, prompt_tokens_details: { cached_tokens: cached } } };
}

function renderHead(exchange: Exchange, object: string): JsonObject {
  return {
    id: exchange.id("completion", 32),
    object,
    created: exchange.createdSeconds,
    model: exchange.model,
  };
}

function renderReply(exchange: Exchange): JsonObject {
  const choices = exchange.answers.map((answer) => {
    const calls = renderCalls(exchange, answer);
    // Mistral has no field for refusals, so a refusal is its text.
    const words = answer.refusal ?? answer.text;
    const said = words === "" ? [] : [{ type: "text", text: words }];
    const content =
      answer.thinking === "" ? words : [{ ...renderThinking(answer.thinking), closed: true }, ...said];
    const message = { role: "assistant", tool_calls: calls.length > 0 ? calls : null, content };
    return { index: answer.index, finish_reason: FINISH_REASONS[answer.finish], message };
  });
  return { ...renderHead(exchange, "chat.completion"), choices, ...renderUsage(exchange) };
}

function* renderFrames(exchange: Exchange): Iterable<Frame> {
  const shared = renderHead(exchange, "chat.completion.chunk");
  const chunk = (
    index: number,
    delta: JsonObject,
    finish_reason: string | null = null,
    rest: JsonObject = {},
  ) => renderDataEvent({ ...shared, choices: [{ index, delta, finish_reason }], ...rest, p: "abcd" });
  const odd = exchange.oddUsage ? renderUsage(exchange) : {};
  for (const answer of exchange.answers) {
    const { index, thinking, refusal } = answer;
    yield { kind: "start", text: chunk(index, { role: "assistant", content: "" }) };
    for (const piece of thinking.match(/\s*\S+/g) ?? [])
      yield { kind: "delta", text: chunk(index, { content: [renderThinking(piece)] }, null, odd) };
    for (const piece of refusal === null ? answer.pieces : [refusal]) {
      const content = thinking === "" ? piece : [{ type: "text", text: piece }];
      yield { kind: "delta", text: chunk(index, { content }, null, odd) };
    }
    const calls = renderCalls(exchange, answer);
    const last = calls.length > 0 ? { tool_calls: calls } : { content: "" };
    yield { kind: "finish", text: chunk(index, last, FINISH_REASONS[answer.finish], renderUsage(exchange)) };
  }
  yield { kind: "end", text: "data: [DONE]\n\n" };
}

/** Mistral's Chat API ("Mistral API: Chat"). */
export const mistral: SimDialect = {
  name: "mistral",
  prefix: "/mistral/v1",
  handles: (path) => path === "/chat/completions",
  whole: [
    makeEmbeddingsForm("output_dimension", (tokens) => ({
      ...countPromptAndTotal(tokens),
      completion_tokens: 0,
    })),
    MISTRAL_MODERATION,
  ],
  readPrompt,
  renderReply,
  renderFrames,
  status: STATUS,
  renderErrorBody,
  renderErrorHeaders: (problem) => ({ "mistral-correlation-id": "sim", ...renderWait(problem) }),
  renderFailure: (problem) => renderDataEvent(renderErrorBody(problem)),
};
