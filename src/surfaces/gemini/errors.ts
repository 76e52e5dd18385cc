// Faults as Google's errors.
import { errorBody, type Fault } from "../../core/fault.ts";
import { type JsonObject, omitUndefined } from "../../core/json.ts";
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

export function writeError(fault: Fault): JsonObject {
  const { status } = fault.row;
  const { message, param, code, reset_at, limit } = errorBody(fault).error;
  const own = { code: status, message, status: STATUS[status] ?? "UNKNOWN", reason: code ?? fault.code };
  return { error: omitUndefined({ ...own, param: param || undefined, reset_at, limit }) };
}

export function refuse(fault: Fault): Refusal {
  return { status: fault.row.status, body: writeError(fault) };
}
