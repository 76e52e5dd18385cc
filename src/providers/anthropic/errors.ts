// Anthropic's errors, as an answer of their own, inside a stream or inside a body with status 200.
import type { Fault } from "../../core/fault.ts";
import { isObject, type JsonObject, objectOf, parseJson, stringOf } from "../../core/json.ts";
import { retryAfterMsOf, type UpstreamError, upstreamFault } from "../../core/upstream.ts";

/** What an error's type means where no status came with it (Anthropic Messages API, "Errors"). */
const STATUS_BY_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** The gateway's own account is at its end: Anthropic says so with a 400. */
const ACCOUNT_WORDS = /credit balance|API usage limits|organization has been disabled/i;
const CONTEXT_WORDS = /exceed context limit/i;
/** A 404 about an uploaded file is about the request, not about the model. */
const FILE_WORDS = /\bfile\b/i;

/** `Dialect.explain`, for every status and body. */
export function explain(status: number, headers: Headers, body: string, nowMs: number): Fault {
  return faultOf(status, errorIn(parseJson(body)), retryAfterMsOf(headers, nowMs));
}

/** The fault of an error event, or of an error body that came with status 200. */
export function faultInAnswer(body: JsonObject): Fault {
  const error = errorIn(body);
  return faultOf(STATUS_BY_TYPE[stringOf(error.type) ?? ""] ?? 500, error);
}

/** Whether a body says that it is an error. */
export function isError(body: JsonObject): boolean {
  return body.type === "error" || isObject(body.error);
}

function errorIn(body: unknown): JsonObject {
  const { error, message } = objectOf(body);
  if (isObject(error)) return error;
  return { message: stringOf(error) ?? message };
}

function faultOf(status: number, error: JsonObject, retryAfterMs?: number): Fault {
  const message = stringOf(error.message) ?? "";
  const code = stringOf(objectOf(error.details).error_code) ?? stringOf(error.type);
  const means = meaningOf(status, message);
  return upstreamFault({
    status,
    message,
    ...(code === undefined ? {} : { code }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(means === undefined ? {} : { means }),
  });
}

function meaningOf(status: number, message: string): UpstreamError["means"] {
  if (status === 400 && ACCOUNT_WORDS.test(message)) return "upstream_auth";
  if (status === 400 && CONTEXT_WORDS.test(message)) return "context_length_exceeded";
  return status === 404 && FILE_WORDS.test(message) ? "upstream_rejected" : undefined;
}
