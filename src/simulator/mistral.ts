// The Mistral dialect from the provider's side: `/mistral/v1/chat/completions`.
import { arrayOf, isObject, type JsonObject, numberOf, objectOf } from "../core/json.ts";
import { toolChoiceOf, toolsOf, turnsOf } from "./chat-messages.ts";
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
import type { Problem, ProblemKind } from "./strict.ts";

/** Status by kind; 422 is what the schema refuses ("Mistral API: Errors"). */
const STATUS: Readonly<Record<ProblemKind, number>> = {
  no_key: 401,
  bad_key: 401,
  no_credit: 402,
  forbidden: 403,
  not_found: 400,
  media_type: 422,
  too_large: 413,
  bad_json: 422,
  missing: 422,
  unknown: 422,
  type: 422,
  value: 422,
  unsupported: 400,
  unprocessable: 422,
  rate_limit: 429,
  timeout: 408,
  server: 500,
  unavailable: 503,
  gateway_timeout: 504,
  overloaded: 503,
  context: 400,
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

function errorBody(problem: Problem): JsonObject {
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

function error(problem: Problem): ErrorAnswer {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "mistral-correlation-id": "sim",
  };
  if (problem.retryAfterSeconds !== undefined)
    headers["retry-after"] = String(Math.ceil(problem.retryAfterSeconds));
  return {
    status: problem.status ?? STATUS[problem.kind],
    headers,
    body: JSON.stringify(errorBody(problem)),
  };
}

function promptOf(body: JsonObject, model: string): Prompt {
  const { type, json_schema: schema } = objectOf(body.response_format);
  const asked = objectOf(schema).schema;
  const json = type === "json_object" || type === "json_schema";
  const { stop } = body;
  return {
    turns: turnsOf(body.messages),
    tools: toolsOf(body.tools),
    toolChoice: toolChoiceOf(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    format: json ? { schema: isObject(asked) ? asked : null } : null,
    thinks: body.reasoning_effort === "high" || /^magistral|think/.test(model),
    stop: typeof stop === "string" ? [stop] : arrayOf(stop).map(String),
    outputTokensMax: numberOf(body.max_tokens) ?? null,
    choices: numberOf(body.n) ?? 1,
  };
}

const FINISH = {
  stop: "stop",
  stop_sequence: "stop",
  length: "length",
  tool_calls: "tool_calls",
  refusal: "stop",
};

const thought = (words: string) => ({ type: "thinking", thinking: [{ type: "text", text: words }] });

/** Ids of nine letters and digits, arguments whole, no type. */
function callsOf(script: Script, answer: Answer): readonly JsonObject[] {
  return answer.calls.map(({ name, input }, index) => ({
    id: script.id(`call ${answer.index} ${index}`, 9),
    function: { name, arguments: input },
    index,
  }));
}

function usageOf({ usage }: Script): JsonObject {
  if (!usage) return {};
  const { input, output, cached } = usage;
  const counts = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return { usage: { ...counts, prompt_tokens_details: { cached_tokens: cached } } };
}

function head(script: Script, object: string): JsonObject {
  return { id: script.id("completion", 32), object, created: script.createdSeconds, model: script.model };
}

/** Mistral knows no refusals: they are text. */
function wordsOf({ text, refusal }: Answer): string {
  return refusal ?? text;
}

function whole(script: Script): JsonObject {
  const choices = script.answers.map((answer) => {
    const calls = callsOf(script, answer);
    const words = wordsOf(answer);
    const said = words === "" ? [] : [{ type: "text", text: words }];
    const content = answer.thinking === "" ? words : [{ ...thought(answer.thinking), closed: true }, ...said];
    const message = { role: "assistant", tool_calls: calls.length > 0 ? calls : null, content };
    return { index: answer.index, finish_reason: FINISH[answer.finish], message };
  });
  return { ...head(script, "chat.completion"), choices, ...usageOf(script) };
}

function* frames(script: Script): Iterable<Frame> {
  const shared = head(script, "chat.completion.chunk");
  const chunk = (
    index: number,
    delta: JsonObject,
    finish_reason: string | null = null,
    rest: JsonObject = {},
  ) => dataEvent({ ...shared, choices: [{ index, delta, finish_reason }], ...rest, p: "abcd" });
  const odd = script.oddUsage ? usageOf(script) : {};
  for (const answer of script.answers) {
    const { index, thinking, refusal } = answer;
    yield { kind: "start", text: chunk(index, { role: "assistant", content: "" }) };
    for (const piece of thinking.match(/\s*\S+/g) ?? [])
      yield { kind: "delta", text: chunk(index, { content: [thought(piece)] }, null, odd) };
    for (const piece of refusal === null ? answer.pieces : [refusal]) {
      const content = thinking === "" ? piece : [{ type: "text", text: piece }];
      yield { kind: "delta", text: chunk(index, { content }, null, odd) };
    }
    const calls = callsOf(script, answer);
    const last = calls.length > 0 ? { tool_calls: calls } : { content: "" };
    yield { kind: "finish", text: chunk(index, last, FINISH[answer.finish], usageOf(script)) };
  }
  yield { kind: "end", text: "data: [DONE]\n\n" };
}

function read({ body }: Incoming, model: string): Reading {
  return { streamed: body.stream === true, prompt: promptOf(body, model) };
}

/** Mistral's chat ("Mistral API: Chat"). Unknown fields are 422. */
export const mistral: SimDialect = {
  name: "mistral",
  prefix: "/mistral/v1",
  takes: (path) => path === "/chat/completions",
  secretOf: bearerOf,
  modelOf: ({ body }) => String(body.model ?? ""),
  read,
  whole,
  frames,
  error,
  failure: (problem) => dataEvent(errorBody(problem)),
  failedBody: (problem) => JSON.stringify(errorBody(problem)),
};
