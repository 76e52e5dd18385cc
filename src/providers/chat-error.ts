// What the servers of the chat-completions API say when they fail, in all the forms they say it, as a Fault.
import type { Fault, FaultCode } from "../core/fault.ts";
import { arrayOf, isObject, type JsonObject, numberOf, parseJson, stringOf } from "../core/json.ts";
import { retryAfterMsOf, type UpstreamError, upstreamFault } from "../core/upstream.ts";

interface Said {
  readonly message?: string | undefined;
  /** The provider's own code; its error type where it has none or only repeats the status. */
  readonly code?: string | undefined;
  readonly param?: string | undefined;
  readonly status?: number | undefined;
}

/** Words that say more than the status does. Tested in this order against the code and the message. */
const MEANINGS: readonly (readonly [RegExp, FaultCode])[] = [
  // xAI and Gemini answer a bad key with 400; Z.ai, DashScope and Moonshot an empty purse with 400 or 429.
  [
    /(incorrect|invalid|bad) api[ _-]?key|api[ _-]?key (is )?(not valid|invalid|expired)|api_key_invalid/i,
    "upstream_auth",
  ],
  [/insufficient balance|arrearage|no resource package|account .{0,40}suspended/i, "upstream_auth"],
  // Mistral (code 1500) and Perplexity answer an unknown model with 400.
  [/\binvalid[ _]model\b/i, "model_not_found"],
  // OpenRouter's moderation is a 403, xAI's and Mistral's guardrails too; DashScope and Z.ai name their inspection.
  [
    /blocked by (a |the )?(guardrail|content filter)|data_?inspection_?failed|input was flagged|violates usage guidelines|sensitive content|high[ _]risk/i,
    "content_filter",
  ],
];

/** The provider's status of an error type, for errors inside a stream, whose own status was 200. */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["context_length_exceeded", 400],
  ["authentication_error", 401],
  ["invalid_api_key", 401],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["model_not_found", 404],
  ["rate_limit_error", 429],
  ["rate_limit_exceeded", 429],
  ["insufficient_quota", 429],
  ["timeout_error", 504],
  ["overloaded_error", 529],
  ["service_unavailable", 503],
]);

/**
 * The fault for an error answer of a chat-completions server: OpenAI's `{error:{…}}`, xAI's `{code,error:"text"}`,
 * Mistral's `{message}` and `{detail}`, problem documents, arrays around any of these, plain text, HTML, nothing.
 */
export function explainChat(status: number, headers: Headers, body: string, nowMs: number): Fault {
  const parsed = parseJson(body);
  const said = parsed === undefined ? { message: plainText(body) } : saidIn(parsed);
  return faultOf(status, said, retryAfterMsOf(headers, nowMs));
}

/** The fault for an error that came with HTTP 200: an event of a stream, or a whole body. */
export function explainInside(body: JsonObject): Fault {
  const said = saidIn(body);
  const status = said.status ?? STATUS_OF_TYPE.get(said.code ?? "") ?? STATUS_OF_TYPE.get(typeIn(body) ?? "");
  return faultOf(status ?? 500, said, undefined);
}

function faultOf(status: number, said: Said, retryAfterMs: number | undefined): Fault {
  const words = `${said.code ?? ""} ${said.message ?? ""}`;
  const error: UpstreamError = {
    status,
    ...(said.message === undefined ? {} : { message: said.message }),
    ...(said.code === undefined ? {} : { code: said.code }),
    ...(said.param === undefined ? {} : { param: said.param }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  const means = status < 500 ? MEANINGS.find(([pattern]) => pattern.test(words))?.[1] : undefined;
  // Groq's 413 is its token rate: the same request passes in another minute or elsewhere.
  if (status === 413 && said.code === "rate_limit_exceeded") return upstreamFault({ ...error, status: 429 });
  return upstreamFault(means === undefined ? error : { ...error, means });
}

function saidIn(body: unknown): Said {
  if (typeof body === "string") return { message: body };
  if (Array.isArray(body)) return saidIn(body[0]);
  if (!isObject(body)) return {};
  if (isObject(body.error)) return inner(body.error);
  if (typeof body.error === "string") return { ...inner(body), message: body.error };
  if (isObject(arrayOf(body.errors)[0])) return saidIn(arrayOf(body.errors)[0]);
  return inner(body);
}

/** An error object itself, Mistral's and problem documents included. */
function inner(error: JsonObject): Said {
  const wrapped = unwrapped(error);
  if (wrapped !== undefined) return wrapped;
  const message = messageOf(error.message) ?? messageOf(error.detail) ?? stringOf(error.title);
  const type = stringOf(error.type);
  const { status_code: said, raw_status_code: raw, code, status: named } = error;
  const status = [said, raw, code, named].map(statusOf).find((one) => one !== undefined);
  const ownCode = stringOf(error.code) ?? type ?? stringOf(error.status);
  return { message, code: ownCode, param: stringOf(error.param), status };
}

/** OpenRouter says "Provider returned error" and quotes the provider in `metadata.raw`. */
function unwrapped(error: JsonObject): Said | undefined {
  const raw = isObject(error.metadata) ? stringOf(error.metadata.raw) : undefined;
  if (raw === undefined || raw === "") return undefined;
  const said = saidIn(parseJson(raw) ?? plainText(raw));
  return said.message === undefined ? undefined : { ...said, status: statusOf(error.code) ?? said.status };
}

/** A message is text, a list of `{loc, msg}` (validation at Mistral, Together, FastAPI servers), or an object around one. */
function messageOf(message: unknown): string | undefined {
  if (typeof message === "string") return message;
  if (isObject(message)) return messageOf(message.detail ?? message.message);
  const lines = arrayOf(message).map((item) => {
    if (!isObject(item)) return stringOf(item) ?? "";
    const where = arrayOf(item.loc).join(".");
    const what = stringOf(item.msg) ?? stringOf(item.message) ?? "";
    return where === "" ? what : `${where}: ${what}`;
  });
  const text = lines.filter((line) => line !== "").join("; ");
  return text === "" ? undefined : text;
}

function statusOf(value: unknown): number | undefined {
  const number = typeof value === "string" && /^[45]\d\d$/.test(value) ? Number(value) : numberOf(value);
  return number !== undefined && number >= 400 && number < 600 ? number : undefined;
}

function typeIn(body: JsonObject): string | undefined {
  return stringOf((isObject(body.error) ? body.error : body).type);
}

/** A body that is not JSON: shown when it is a line of text, not when it is a web page. */
function plainText(body: string): string | undefined {
  const text = body.trim();
  return text === "" || text.startsWith("<") || text.length > 500 ? undefined : text;
}
