// The Gemini dialect from the provider's side: `/gemini/v1beta/models/{model}:generateContent` and `:streamGenerateContent`.
import { type JsonObject, objectOf } from "../core/json.ts";
import { sign } from "./brain.ts";
import { promptOf } from "./gemini-prompt.ts";
import type { Answer, ErrorAnswer, Frame, Incoming, Reading, Script, SimDialect } from "./scene.ts";
import { bracketed, type Problem, type ProblemKind } from "./strict.ts";

/** HTTP status and canonical status by kind ("Gemini API: Troubleshooting"). */
const ERRORS: Readonly<Record<ProblemKind, readonly [number, string]>> = {
  no_key: [403, "PERMISSION_DENIED"],
  bad_key: [400, "INVALID_ARGUMENT"],
  no_credit: [429, "RESOURCE_EXHAUSTED"],
  forbidden: [403, "PERMISSION_DENIED"],
  not_found: [404, "NOT_FOUND"],
  media_type: [400, "INVALID_ARGUMENT"],
  too_large: [413, "INVALID_ARGUMENT"],
  bad_json: [400, "INVALID_ARGUMENT"],
  missing: [400, "INVALID_ARGUMENT"],
  unknown: [400, "INVALID_ARGUMENT"],
  type: [400, "INVALID_ARGUMENT"],
  value: [400, "INVALID_ARGUMENT"],
  unsupported: [400, "INVALID_ARGUMENT"],
  unprocessable: [422, "INVALID_ARGUMENT"],
  rate_limit: [429, "RESOURCE_EXHAUSTED"],
  timeout: [408, "DEADLINE_EXCEEDED"],
  server: [500, "INTERNAL"],
  unavailable: [503, "UNAVAILABLE"],
  gateway_timeout: [504, "DEADLINE_EXCEEDED"],
  overloaded: [503, "UNAVAILABLE"],
  context: [400, "INVALID_ARGUMENT"],
  filter: [200, "OK"],
};

const QUOTA =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.";

function messageOf({ kind, message, path = [], retryAfterSeconds }: Problem): string {
  const at = bracketed(path.slice(0, -1));
  switch (kind) {
    case "missing":
      return `* GenerateContentRequest.${bracketed(path)}: must be specified`;
    case "unknown":
      return `Invalid JSON payload received. Unknown name "${path.at(-1)}"${at === "" ? "" : ` at '${at}'`}: Cannot find field.`;
    case "bad_key":
      return "API key not valid. Please pass a valid API key.";
    case "no_key":
      return "Method doesn't allow unregistered callers (callers without established identity).";
    case "no_credit":
      return QUOTA;
    case "rate_limit":
      return `${QUOTA}\nPlease retry in ${retryAfterSeconds ?? 0}s.`;
    case "overloaded":
      return "The model is overloaded. Please try again later.";
    case "context":
      return "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
    default:
      return path.length === 0 ? message : `* GenerateContentRequest.${bracketed(path)}: ${message}`;
  }
}

const RPC = "type.googleapis.com/google.rpc.";

/** The delay of a rate limit is told here, not in a header; a quota of the day has none. */
function detailsOf({ kind, retryAfterSeconds = 0 }: Problem): readonly JsonObject[] {
  if (kind === "bad_key")
    return [{ "@type": `${RPC}ErrorInfo`, reason: "API_KEY_INVALID", domain: "googleapis.com" }];
  if (kind !== "rate_limit" && kind !== "no_credit") return [];
  const minute = kind === "rate_limit";
  const quotaId = `GenerateRequestsPer${minute ? "Minute" : "Day"}PerProjectPerModel`;
  const failure = { "@type": `${RPC}QuotaFailure`, violations: [{ quotaId, quotaValue: "10" }] };
  const retry = { "@type": `${RPC}RetryInfo`, retryDelay: `${retryAfterSeconds}s` };
  return minute ? [failure, retry] : [failure];
}

function errorBody(problem: Problem): JsonObject {
  if (problem.kind === "filter") return { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } };
  const [code, status] = ERRORS[problem.kind];
  const details = detailsOf(problem);
  const error = { code: problem.status ?? code, message: messageOf(problem), status };
  return { error: details.length === 0 ? error : { ...error, details } };
}

const isEvents = (query: URLSearchParams) => query.get("alt") === "sse";
const streamType = (query: URLSearchParams) =>
  isEvents(query) ? "text/event-stream" : "application/json; charset=UTF-8";

/** Errors of a stream are labelled as the stream and yet plain JSON; a stream that is an array wraps them. A blocked prompt is a sound answer. */
function error(problem: Problem, streamed: boolean, query: URLSearchParams): ErrorAnswer {
  const json = JSON.stringify(errorBody(problem));
  const blocked = problem.kind === "filter" && isEvents(query);
  const body = streamed && !isEvents(query) ? `[${json}]` : blocked ? `data: ${json}\r\n\r\n` : json;
  const type = streamed ? streamType(query) : "application/json; charset=UTF-8";
  return { status: problem.status ?? ERRORS[problem.kind][0], headers: { "content-type": type }, body };
}

const FINISH = {
  stop: "STOP",
  stop_sequence: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  refusal: "SAFETY",
};

function usageOf({ usage }: Script): JsonObject {
  if (!usage) return {};
  const { input, output, cached, reasoning } = usage;
  const usageMetadata = {
    promptTokenCount: input,
    ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
    ...(output > reasoning ? { candidatesTokenCount: output - reasoning } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: input + output,
  };
  return { usageMetadata };
}

function envelope(script: Script, candidates: readonly JsonObject[], usage: JsonObject): JsonObject {
  return { candidates, ...usage, modelVersion: script.model, responseId: script.id("response", 22) };
}

/** What a call is signed with. */
export function signatureOf({ name, args }: JsonObject): string {
  return sign(`${String(name)}${JSON.stringify(args ?? {})}`);
}

/** The answer as parts, in the order in which they come; the first call is signed. */
function partsOf(script: Script, answer: Answer, pieces: readonly string[]): readonly JsonObject[] {
  const shown = objectOf(objectOf(script.body.generationConfig).thinkingConfig).includeThoughts === true;
  const calls = answer.calls.map(({ name, input }, at) => {
    const call: JsonObject = { name, args: JSON.parse(input) };
    return at === 0 ? { functionCall: call, thoughtSignature: signatureOf(call) } : { functionCall: call };
  });
  return [
    ...(shown && answer.thinking !== "" ? [{ text: answer.thinking, thought: true }] : []),
    ...pieces.map((text) => ({ text })),
    ...calls,
  ];
}

function contentOf(parts: readonly JsonObject[]): JsonObject {
  return { content: { ...(parts.length > 0 ? { parts } : {}), role: "model" } };
}

/** The signature of words that were thought over; null where there are none, or calls that carry their own. */
function closingSignature({ calls, refusal, thinking }: Answer): string | null {
  if (calls.length > 0 || refusal !== null || thinking === "") return null;
  return signatureOf({ name: "text", args: {} });
}

/** Unstreamed, the last words carry the signature themselves (recorded; in streams it follows them). */
function whole(script: Script): JsonObject {
  const candidates = script.answers.map((answer) => {
    const thoughtSignature = closingSignature(answer);
    const signed = thoughtSignature !== null;
    const said = partsOf(script, answer, answer.text === "" && !signed ? [] : [answer.text]);
    const parts = signed ? [...said.slice(0, -1), { ...said.at(-1), thoughtSignature }] : said;
    return { ...contentOf(parts), finishReason: FINISH[answer.finish], index: answer.index };
  });
  return envelope(script, candidates, usageOf(script));
}

/** One event or array element: CR LF as Gemini ends its lines. */
function framed(script: Script, body: JsonObject, first: boolean): string {
  const json = JSON.stringify(body);
  if (isEvents(script.query)) return `data: ${json}\r\n\r\n`;
  return first ? `[${json}` : `,\r\n${json}`;
}

/** Usage stands on every event (odd usage: on all but the last); the last words come with the finish or after them. */
function* frames(script: Script): Iterable<Frame> {
  let first = true;
  const frame = (kind: Frame["kind"], candidate: JsonObject, usage = usageOf(script)): Frame => {
    const text = framed(script, envelope(script, [candidate], usage), first);
    first = false;
    return { kind, text };
  };
  for (const answer of script.answers) {
    const { index } = answer;
    for (const part of partsOf(script, answer, answer.pieces))
      yield frame("delta", { ...contentOf([part]), index });
    const thoughtSignature = closingSignature(answer);
    const last = thoughtSignature === null ? [] : [{ text: "", thoughtSignature }];
    const ending = { ...contentOf(last), finishReason: FINISH[answer.finish], index };
    yield frame("finish", ending, script.oddUsage ? {} : usageOf(script));
  }
  if (!isEvents(script.query)) yield { kind: "end", text: "]" };
}

function read({ body, path }: Incoming, model: string): Reading {
  const streamed = path.endsWith(":streamGenerateContent");
  return { streamed, prompt: promptOf(body, model) };
}

function modelIn(path: string): string {
  const name = path.slice("/models/".length, path.lastIndexOf(":"));
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Gemini's generateContent ("Gemini API reference"). No call ids, usage on every event, no end but the body's. */
export const gemini: SimDialect = {
  name: "gemini",
  prefix: "/gemini/v1beta",
  takes: (path) => /^\/models\/.+:(generateContent|streamGenerateContent)$/.test(path),
  secretOf: (headers) => headers["x-goog-api-key"] || undefined,
  modelOf: ({ path }) => modelIn(path),
  read,
  whole,
  frames,
  streamType,
  error,
  failure: (problem, { query }) => {
    const json = JSON.stringify(errorBody(problem));
    return isEvents(query) ? `data: ${json}\r\n\r\n` : `,\r\n${json}]`;
  },
  failedBody: (problem) => JSON.stringify(errorBody(problem)),
};
