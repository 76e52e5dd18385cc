// Faults as OpenAI's errors on this surface, with the codes that make Codex stop or continue.
import { errorBody, type Fault, type FaultCode } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Refusal } from "../surface.ts";

/** Faults of a client whose allowance or balance is used up. Codex ends the turn at their code, and retries others. */
const USED_UP: ReadonlySet<FaultCode> = new Set([
  "rate_limit_exceeded",
  "budget_exceeded",
  "insufficient_balance",
]);
/** Longer waits aren't sent, since Codex waits as long as asked without showing it. */
const WAIT_MAX_MS = 60_000;

export function refuse(fault: Fault): Refusal {
  const { error } = errorBody(fault);
  if (fault.details.overflow)
    return { status: fault.row.status, body: { error: { ...error, param: "input" } } };
  if (!USED_UP.has(fault.code)) return { status: fault.row.status, body: { error } };
  const { retryAfterMs } = fault.details;
  const isLong = retryAfterMs === undefined || retryAfterMs > WAIT_MAX_MS;
  return {
    status: 429,
    body: { error: { ...error, code: "insufficient_quota", reason: fault.code } },
    headers: isLong ? { "retry-after": null } : {},
  };
}

/** A failed response's codes that clients know. */
const FAILED_CODES: Readonly<Partial<Record<FaultCode, string>>> = {
  context_length_exceeded: "context_length_exceeded",
  rate_limit_exceeded: "insufficient_quota",
  budget_exceeded: "insufficient_quota",
  insufficient_balance: "insufficient_quota",
  provider_busy: "rate_limit_exceeded",
  overloaded: "server_is_overloaded",
  content_filter: "invalid_prompt",
  content_blocked: "invalid_prompt",
  upstream_rejected: "invalid_prompt",
};

/** Returns the error of a failed response. */
export function writeFailure(fault: Fault): JsonObject {
  const { code, message, details } = fault;
  return { code: FAILED_CODES[code] ?? "server_error", message, reason: details.hookReason ?? code };
}
