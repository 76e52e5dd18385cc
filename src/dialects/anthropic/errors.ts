// Anthropic's errors, as an answer of their own, inside a stream, or in a body with status 200.
import type { Fault } from "../../core/fault.ts";
import { asObject, asString, isObject, type JsonObject, parseJson } from "../../core/json.ts";
import { type ErrorRule, readRetryAfterMs, upstreamFault } from "../../core/upstream.ts";

/** The status of an error type if none came with it (Anthropic Messages API, "Errors"). */
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

const RULES: readonly ErrorRule[] = [
  // The gateway's own account is exhausted or disabled: Anthropic reports it with a 400.
  { status: 400, begins: "Your credit balance is too low", means: "upstream_auth" },
  { status: 400, begins: "You have reached your specified API usage limits", means: "upstream_auth" },
  { status: 400, begins: "This organization has been disabled", means: "upstream_auth" },
  // A missing file is an error of the request, not a missing model.
  { status: 404, begins: "File not found", means: "upstream_rejected" },
];

/** `Dialect.explain`, for every status and body. */
export function explain(status: number, headers: Headers, body: string, nowMs: number): Fault {
  return toFault(status, findError(parseJson(body)), readRetryAfterMs(headers, nowMs));
}

/** Returns the fault for an error event, or for an error body with status 200. */
export function explainAnswer(body: JsonObject): Fault {
  const error = findError(body);
  return toFault(STATUS_BY_TYPE[asString(error.type) ?? ""] ?? 500, error);
}

/** True if a body is an error. */
export function isError(body: JsonObject): boolean {
  return body.type === "error" || isObject(body.error);
}

/** Vertex AI wraps its own errors in a list. */
function findError(body: unknown): JsonObject {
  const { error, message } = asObject(Array.isArray(body) ? body[0] : body);
  if (isObject(error)) return error;
  return { message: asString(error) ?? message };
}

function toFault(status: number, error: JsonObject, retryAfterMs?: number): Fault {
  const codes = [asObject(error.details).error_code, error.type, error.status].flatMap(
    (one) => asString(one) ?? [],
  );
  return upstreamFault({ status, message: asString(error.message), codes, rules: RULES, retryAfterMs });
}
