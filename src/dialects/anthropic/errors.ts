// Anthropic's errors, as an answer of their own, inside a stream or inside a body with status 200.
import type { Fault } from "../../core/fault.ts";
import { asObject, asString, isObject, type JsonObject, parseJson } from "../../core/json.ts";
import { type ErrorRule, readRetryAfterMs, upstreamFault } from "../../core/upstream.ts";

/** The meaning of an error's type if no status came with it (Anthropic Messages API, "Errors"). */
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
  // The gateway's own account is at its end: Anthropic says so with a 400.
  { status: 400, begins: "Your credit balance is too low", means: "upstream_auth" },
  { status: 400, begins: "You have reached your specified API usage limits", means: "upstream_auth" },
  { status: 400, begins: "This organization has been disabled", means: "upstream_auth" },
  // An uploaded file that is gone is about the request, not about the model.
  { status: 404, begins: "File not found", means: "upstream_rejected" },
];

/** `Dialect.explain`, for every status and body. */
export function explain(status: number, headers: Headers, body: string, nowMs: number): Fault {
  return toFault(status, findError(parseJson(body)), readRetryAfterMs(headers, nowMs));
}

/** The fault of an error event, or of an error body that came with status 200. */
export function explainAnswer(body: JsonObject): Fault {
  const error = findError(body);
  return toFault(STATUS_BY_TYPE[asString(error.type) ?? ""] ?? 500, error);
}

/** True if a body says that it is an error. */
export function isError(body: JsonObject): boolean {
  return body.type === "error" || isObject(body.error);
}

/** Vertex AI puts its own errors into a list. */
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
