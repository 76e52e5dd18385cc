// The Gemini dialect from the provider's side: `/gemini/v1beta/models/{model}:generateContent` and `:streamGenerateContent`.
import { asObject, type JsonObject } from "../core/json/json.ts";
import { readPrompt } from "./gemini-prompt.ts";
import { COMMON_STATUS, formatBracketedPath, type Problem, type ProblemKind } from "./problem.ts";
import { signText } from "./responder.ts";
import { isSearching, renderGrounding } from "./searches.ts";
import type { Answer, ErrorAnswer, Exchange, Frame, SimDialect } from "./types.ts";
import { GEMINI_EMBEDDINGS } from "./vectors.ts";

/** Status codes by kind ("Gemini API: Troubleshooting"). */
const STATUS = { ...COMMON_STATUS, no_key: 403, bad_key: 400, no_credit: 429, filter: 200 };

/** Canonical statuses other than `INVALID_ARGUMENT`. */
const NAMES: { readonly [K in ProblemKind]?: string } = {
  no_key: "PERMISSION_DENIED",
  no_credit: "RESOURCE_EXHAUSTED",
  forbidden: "PERMISSION_DENIED",
  not_found: "NOT_FOUND",
  rate_limit: "RESOURCE_EXHAUSTED",
  timeout: "DEADLINE_EXCEEDED",
  server: "INTERNAL",
  unavailable: "UNAVAILABLE",
  gateway_timeout: "DEADLINE_EXCEEDED",
  overloaded: "UNAVAILABLE",
  filter: "OK",
};

const QUOTA =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.";

function describeProblem({ kind, message, path = [], retryAfterSeconds }: Problem): string {
  const at = formatBracketedPath(path.slice(0, -1));
  switch (kind) {
    case "missing":
      return `* GenerateContentRequest.${formatBracketedPath(path)}: must be specified`;
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
      return path.length === 0
        ? message
        : `* GenerateContentRequest.${formatBracketedPath(path)}: ${message}`;
  }
}

const RPC = "type.googleapis.com/google.rpc.";

/** Returns an error's details: a rate limit's delay is here, not in a header. A daily quota has none. */
function renderDetails({ kind, retryAfterSeconds = 0 }: Problem): readonly JsonObject[] {
  if (kind === "bad_key")
    return [{ "@type": `${RPC}ErrorInfo`, reason: "API_KEY_INVALID", domain: "googleapis.com" }];
  if (kind !== "rate_limit" && kind !== "no_credit") return [];
  const minute = kind === "rate_limit";
  const quotaId = `GenerateRequestsPer${minute ? "Minute" : "Day"}PerProjectPerModel`;
  const failure = { "@type": `${RPC}QuotaFailure`, violations: [{ quotaId, quotaValue: "10" }] };
  const retry = { "@type": `${RPC}RetryInfo`, retryDelay: `${retryAfterSeconds}s` };
  return minute ? [failure, retry] : [failure];
}

function renderErrorBody(problem: Problem): JsonObject {
  if (problem.kind === "filter") return { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } };
  const status = NAMES[problem.kind] ?? "INVALID_ARGUMENT";
  const details = renderDetails(problem);
  const error = { code: problem.status ?? STATUS[problem.kind], message: describeProblem(problem), status };
  return { error: details.length === 0 ? error : { ...error, details } };
}

const isEvents = (query: URLSearchParams) => query.get("alt") === "sse";
const chooseStreamType = (query: URLSearchParams) =>
  isEvents(query) ? "text/event-stream" : "application/json; charset=UTF-8";

/** Renders an error: plain JSON even in a stream, in an array if the stream is one. A blocked prompt is a 200. */
function renderError(problem: Problem, streamed: boolean, query: URLSearchParams): ErrorAnswer {
  const json = JSON.stringify(renderErrorBody(problem));
  const blocked = problem.kind === "filter" && isEvents(query);
  const body = streamed && !isEvents(query) ? `[${json}]` : blocked ? `data: ${json}\r\n\r\n` : json;
  const type = streamed ? chooseStreamType(query) : "application/json; charset=UTF-8";
  return { status: problem.status ?? STATUS[problem.kind], headers: { "content-type": type }, body };
}

const FINISH = {
  stop: "STOP",
  stop_sequence: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  refusal: "SAFETY",
};

function renderUsage({ usage }: Exchange): JsonObject {
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

function wrapCandidates(
  exchange: Exchange,
  candidates: readonly JsonObject[],
  usage: JsonObject,
): JsonObject {
  return { candidates, ...usage, modelVersion: exchange.model, responseId: exchange.id("response", 22) };
}

/** Returns a call's signature, which the client must send back with the call. */
export function signCall({ name, args }: JsonObject): string {
  return signText(`${String(name)}${JSON.stringify(args ?? {})}`);
}

/** Returns the answer's parts in Gemini's order. Only the first call is signed. */
function renderParts(exchange: Exchange, answer: Answer, pieces: readonly string[]): readonly JsonObject[] {
  const shown = asObject(asObject(exchange.body.generationConfig).thinkingConfig).includeThoughts === true;
  const calls = answer.calls.map(({ name, input }, at) => {
    const call: JsonObject = { name, args: JSON.parse(input) };
    return at === 0 ? { functionCall: call, thoughtSignature: signCall(call) } : { functionCall: call };
  });
  return [
    ...(shown && answer.thinking !== "" ? [{ text: answer.thinking, thought: true }] : []),
    ...pieces.map((text) => ({ text })),
    ...calls,
  ];
}

function renderContent(parts: readonly JsonObject[]): JsonObject {
  return { content: { ...(parts.length > 0 ? { parts } : {}), role: "model" } };
}

/** Returns the signature of the text after thinking. Null without thinking, or if calls carry their own signature. */
function signClosing({ calls, refusal, thinking }: Answer): string | null {
  if (calls.length > 0 || refusal !== null || thinking === "") return null;
  return signCall({ name: "text", args: {} });
}

/** Renders an unstreamed reply. Its last text carries the signature, which in streams follows the text (recorded). */
function renderReply(exchange: Exchange): JsonObject {
  const candidates = exchange.answers.map((answer) => {
    const thoughtSignature = signClosing(answer);
    const signed = thoughtSignature !== null;
    const said = renderParts(exchange, answer, answer.text === "" && !signed ? [] : [answer.text]);
    const parts = signed ? [...said.slice(0, -1), { ...said.at(-1), thoughtSignature }] : said;
    const finish = { finishReason: FINISH[answer.finish], index: answer.index };
    return { ...renderContent(parts), ...finish, ...renderFound(exchange, answer) };
  });
  return wrapCandidates(exchange, candidates, renderUsage(exchange));
}

function renderFound(exchange: Exchange, answer: Answer): JsonObject {
  return isSearching(exchange) ? renderGrounding(answer) : {};
}

/** Frames one event or array element. Gemini's lines end with CR LF. */
function frameBody(exchange: Exchange, body: JsonObject, first: boolean): string {
  const json = JSON.stringify(body);
  if (isEvents(exchange.query)) return `data: ${json}\r\n\r\n`;
  return first ? `[${json}` : `,\r\n${json}`;
}

/** Yields the stream's frames. Every event carries the usage; with odd usage, every event but the last one. */
function* renderFrames(exchange: Exchange): Iterable<Frame> {
  let first = true;
  const frame = (kind: Frame["kind"], candidate: JsonObject, usage = renderUsage(exchange)): Frame => {
    const text = frameBody(exchange, wrapCandidates(exchange, [candidate], usage), first);
    first = false;
    return { kind, text };
  };
  for (const answer of exchange.answers) {
    const { index } = answer;
    for (const part of renderParts(exchange, answer, answer.pieces))
      yield frame("delta", { ...renderContent([part]), index });
    const thoughtSignature = signClosing(answer);
    const last = thoughtSignature === null ? [] : [{ text: "", thoughtSignature }];
    const finish = { finishReason: FINISH[answer.finish], index };
    const ending = { ...renderContent(last), ...finish, ...renderFound(exchange, answer) };
    yield frame("finish", ending, exchange.oddUsage ? {} : renderUsage(exchange));
  }
  if (!isEvents(exchange.query)) yield { kind: "end", text: "]" };
}

function parseModel(path: string): string {
  const name = path.slice("/models/".length, path.lastIndexOf(":"));
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Gemini's generateContent ("Gemini API reference"): no call ids, usage in every event, and no closing event. */
export const gemini: SimDialect = {
  name: "gemini",
  prefix: "/gemini/v1beta",
  handles: (path) => /^\/models\/.+:(generateContent|streamGenerateContent)$/.test(path),
  whole: [GEMINI_EMBEDDINGS],
  readSecret: (headers) => headers["x-goog-api-key"] || undefined,
  readModel: ({ path }) => parseModel(path),
  readPrompt,
  isStreamed: ({ path }) => path.endsWith(":streamGenerateContent"),
  renderReply,
  renderFrames,
  chooseStreamType,
  status: STATUS,
  renderErrorBody,
  renderError,
  renderFailure: (problem, { query }) => {
    const json = JSON.stringify(renderErrorBody(problem));
    return isEvents(query) ? `data: ${json}\r\n\r\n` : `,\r\n${json}]`;
  },
};
