// Faults as Anthropic's errors: its types and statuses, and the wording that makes Claude Code stop or continue.
import { errorBody, type Fault } from "../../core/faults/fault.ts";
import { type JsonObject, omitUndefined } from "../../core/json/json.ts";
import type { Refusal } from "../surface.ts";

const TYPE_BY_STATUS: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  408: "timeout_error",
  409: "conflict_error",
  413: "request_too_large",
  415: "invalid_request_error",
  429: "rate_limit_error",
  504: "timeout_error",
};

/**
 * Anthropic's tool runner asks for a thread, and goes on without one if the refusal says so in this form
 * (`ThreadUnsupportedRequestErrorDetails` in @anthropic-ai/sdk 1.11). Left out silently, it would send only its newest
 * messages from then on.
 */
const NO_THREADS = { error_code: "thread_unsupported_request", unsupported: [] };

/** This wording makes Claude Code compact the conversation. */
const OVERFLOW = "prompt is too long";

export function writeError(fault: Fault, requestId: string): JsonObject {
  const type = TYPE_BY_STATUS[fault.row.status] ?? "api_error";
  const { param, code, reset_at, limit, reason = code ?? fault.code } = errorBody(fault).error;
  const details = fault.code === "unsupported_parameter" && param === "thread" ? NO_THREADS : undefined;
  const shown = {
    type,
    message: writeMessage(fault),
    // Ours, beyond Anthropic's few types: programs can tell the cases apart.
    code: code ?? undefined,
    param: param || undefined,
    reset_at,
    limit,
    reason,
    details,
  };
  const error = omitUndefined(shown);
  return { type: "error", error, request_id: requestId };
}

function writeMessage(fault: Fault): string {
  const { overflow } = fault.details;
  if (overflow) {
    const { promptTokens, promptTokensMax, note } = overflow;
    return `${OVERFLOW}: ${promptTokens} tokens > ${promptTokensMax} maximum${note && `.${note}`}`;
  }
  if (fault.code !== "context_length_exceeded" || fault.message.includes(OVERFLOW)) return fault.message;
  return `${OVERFLOW}: ${fault.message}`;
}

export function refuse(fault: Fault, requestId: string): Refusal {
  const headers = { "request-id": requestId };
  return { status: fault.row.status, body: writeError(fault, requestId), headers };
}
