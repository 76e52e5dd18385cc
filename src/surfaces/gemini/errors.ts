// Faults as Google's errors.
import { errorBody, type Fault, type FaultCode } from "../../core/faults/fault.ts";
import { findWaitMs } from "../../core/faults/fault-wait.ts";
import { type JsonObject, omitUndefined } from "../../core/json/json.ts";
import type { Refusal } from "../surface.ts";

/** google.rpc.Code by HTTP status (cloud.google.com/apis/design/errors). */
const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** The quotas behind a 429. Gemini CLI gives up for the day if the id names it, and waits and repeats otherwise. */
const QUOTAS: ReadonlyMap<FaultCode, string> = new Map([
  ["rate_limit_exceeded", "RequestsPerDay"],
  ["budget_exceeded", "Budget"],
  ["budget_reserved", "BudgetReserved"],
  ["requests_per_minute_exceeded", "RequestsPerMinute"],
  ["tokens_per_minute_exceeded", "TokensPerMinute"],
  ["too_many_parallel_requests", "ParallelRequests"],
  ["provider_busy", "Provider"],
]);

/** The wait to name if a limit never starts over: Google's clients know no other word for it. */
const NO_RESET_MS = 86_400_000;

/** `prompt` is the field of the request that holds the prompt. */
export function writeError(fault: Fault, prompt = "contents"): JsonObject {
  const { status } = fault.row;
  const { param, code, reset_at, limit, reason = code ?? fault.code } = errorBody(fault).error;
  const message = writeMessage(fault);
  const own = { code: status, message, status: STATUS[status] ?? "UNKNOWN", reason };
  const details = writeDetails(fault);
  return {
    error: omitUndefined({
      ...own,
      param: fault.details.overflow ? prompt : param || undefined,
      reset_at,
      limit,
      details,
    }),
  };
}

/** Google's own words for a prompt that no model has room for. */
function writeMessage({ message, details: { overflow } }: Fault): string {
  if (!overflow) return message;
  const { promptTokens, promptTokensMax, note } = overflow;
  return `The input token count (${promptTokens}) exceeds the maximum number of tokens allowed (${promptTokensMax}).${note}`;
}

/** Google's own details, from which its clients read how long to wait: they don't read `Retry-After`. */
function writeDetails(fault: Fault): readonly JsonObject[] | undefined {
  const { status } = fault.row;
  if (status !== 429 && status !== 503) return undefined;
  const waitMs = findWaitMs(fault) ?? findResetMs(fault);
  const quotaId = QUOTAS.get(fault.code);
  return [
    ...(waitMs === undefined
      ? []
      : [makeDetail("RetryInfo", { retryDelay: `${Math.ceil(waitMs / 1000)}s` })]),
    ...(quotaId === undefined
      ? []
      : [makeDetail("QuotaFailure", { violations: [{ quotaId, description: fault.message }] })]),
  ];
}

/** Google's clients give up at a long wait. Without one, they repeat the request. */
function findResetMs({ details: { resetsInMs, limit } }: Fault): number | undefined {
  return resetsInMs ?? (limit?.resetsAtMs === null ? NO_RESET_MS : undefined);
}

function makeDetail(type: string, fields: JsonObject): JsonObject {
  return { "@type": `type.googleapis.com/google.rpc.${type}`, ...fields };
}

export function refuse(fault: Fault): Refusal {
  return { status: fault.row.status, body: writeError(fault) };
}
