// Errors of chat-completions servers, in all their forms, as Faults.
import type { Fault } from "../../core/faults/fault.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { type ErrorRule, readMeaning, readRetryAfterMs, upstreamFault } from "../../core/models/upstream.ts";
import { inferStatus } from "./embedded-status.ts";

interface ErrorDetails {
  readonly message?: string | undefined;
  /** The provider's error codes and types, if any. */
  readonly codes: readonly string[];
  readonly param?: string | undefined;
  readonly status?: number | undefined;
}

/**
 * Returns the fault for an error answer: OpenAI's `{error:{…}}`, xAI's `{code,error:"text"}`, Mistral's `{message}` and
 * `{detail}`, problem documents, arrays around any of these, plain text, HTML, or nothing.
 */
export function explainChat(
  status: number,
  headers: Headers,
  body: string,
  nowMs: number,
  rules: readonly ErrorRule[] = [],
): Fault {
  const parsed = parseReceived(body);
  const said = parsed === undefined ? { message: readPlainText(body), codes: [] } : readMessage(parsed);
  return readFault(status, said, readRetryAfterMs(headers, nowMs), rules);
}

/** True for a 400 about thinking that the model didn't sign. Only the message says so. */
export function isSignatureRefused({ code, message }: Fault): boolean {
  return code === "upstream_rejected" && /signature/i.test(message);
}

/** Returns the fault for an error that came with HTTP 200, as a stream event or a whole body. */
export function explainEmbeddedError(body: JsonObject, rules: readonly ErrorRule[] = []): Fault {
  const said = readMessage(body);
  return readFault(said.status ?? inferStatus(said, rules), said, undefined, rules);
}

function readFault(
  status: number,
  { message, codes, param }: ErrorDetails,
  retryAfterMs: number | undefined,
  rules: readonly ErrorRule[] = [],
): Fault {
  // Groq's 413 means its token rate: the same request succeeds a minute later or elsewhere.
  const isRate = status === 413 && codes.includes("rate_limit_exceeded");
  return upstreamFault({ status: isRate ? 429 : status, codes, rules, message, param, retryAfterMs });
}

function readMessage(body: unknown): ErrorDetails {
  if (typeof body === "string") return { message: body, codes: [] };
  if (Array.isArray(body)) return readMessage(body[0]);
  if (!isObject(body)) return { codes: [] };
  if (isObject(body.error)) return readErrorObject(body.error);
  if (typeof body.error === "string") return { ...readErrorObject(body), message: body.error };
  if (isObject(asArray(body.errors)[0])) return readMessage(asArray(body.errors)[0]);
  return readErrorObject(body);
}

/** Reads the error object itself, including Mistral's and problem documents. */
function readErrorObject(error: JsonObject): ErrorDetails {
  const wrapped = unwrap(error);
  if (wrapped !== undefined) return wrapped;
  const { message: said, detail, title } = error;
  const message = readErrorText(said) ?? readErrorText(detail) ?? asString(title) ?? readErrorText([error]);
  const { status_code: number, raw_status_code: raw, code, status: named } = error;
  const status = [number, raw, code, named].map(readStatus).find((one) => one !== undefined);
  // Anthropic's details are more specific than its type.
  const detailed = asObject(error.details).error_code;
  const codes = [detailed, error.code, error.type, error.error_type, error.status].flatMap(
    (one) => asString(one) ?? [],
  );
  return { message, codes, param: asString(error.param), status };
}

/**
 * OpenRouter says "Provider returned error" and quotes the provider in `metadata.raw`. If that provider refuses OpenRouter's
 * credential or balance, our own key is still good.
 */
function unwrap(error: JsonObject): ErrorDetails | undefined {
  const raw = isObject(error.metadata) ? asString(error.metadata.raw) : undefined;
  if (raw === undefined || raw === "") return undefined;
  const said = readMessage(parseReceived(raw) ?? readPlainText(raw));
  if (said.message === undefined) return undefined;
  const codes = said.codes.filter((one) => readMeaning(one) !== "upstream_auth");
  return { ...said, codes, status: readStatus(error.code) ?? said.status };
}

/** A message is text, a list of `{loc, msg}` (validation at Mistral, Together, FastAPI servers), or an object around one. */
function readErrorText(message: unknown): string | undefined {
  if (typeof message === "string") return message;
  if (isObject(message)) return readErrorText(message.detail ?? message.message);
  const lines = asArray(message).map((item) => {
    if (!isObject(item)) return asString(item) ?? "";
    const where = asArray(item.loc).join(".");
    const what = asString(item.msg) ?? asString(item.message) ?? "";
    return where === "" ? what : `${where}: ${what}`;
  });
  const text = lines.filter((line) => line !== "").join("; ");
  return text === "" ? undefined : text;
}

function readStatus(value: unknown): number | undefined {
  const number = typeof value === "string" && /^[45]\d\d$/.test(value) ? Number(value) : asNumber(value);
  return number !== undefined && number >= 400 && number < 600 ? number : undefined;
}

/** Returns a body that is not JSON if it is a line of text, or undefined if it is a web page. */
function readPlainText(body: string): string | undefined {
  const text = body.trim();
  return text === "" || text.startsWith("<") || text.length > 500 ? undefined : text;
}
