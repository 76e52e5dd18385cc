// Failures as clients of tools see them: an HTTP status before a message is understood, a result that a model reads
// afterwards.
import { errorBody, type Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { ToolProtocolError } from "../../core/tools/tool-reply.ts";
import { CODES } from "../../tools/wire/eras.ts";
import { type RpcId, writeError } from "../../tools/wire/rpc.ts";
import { createJsonResponse, faultHeaders, type HeaderMap } from "../serve/answers.ts";

/** A message that is refused with a status and a JSON-RPC error of its own. */
export class RpcRefusal extends Error {
  readonly status: number;
  readonly id: RpcId | null;
  readonly error: ToolProtocolError;

  constructor(status: number, id: RpcId | null, error: ToolProtocolError) {
    super(error.message);
    this.status = status;
    this.id = id;
    this.error = error;
  }
}

export function respondRefusal({ status, id, error }: RpcRefusal): Response {
  return createJsonResponse(status, writeError(id, error));
}

/** Returns the message that answers one that isn't let in, and its status. */
export function describeRefused(fault: Fault, id: RpcId | null, requestId: string) {
  const { message, type, code } = errorBody(fault).error;
  const data = { code: code ?? fault.code, type, request_id: requestId };
  return { status: fault.row.status, message: writeError(id, { code: CODES.gateway, message, data }) };
}

export function respondFault(
  fault: Fault,
  id: RpcId | null,
  requestId: string,
  headers: HeaderMap = {},
): Response {
  const { status, message } = describeRefused(fault, id, requestId);
  return createJsonResponse(status, message, { ...headers, ...faultHeaders(fault) });
}

/** Returns the result that says why a call was refused or failed. */
export function describeFailure(fault: Fault, requestId: string): JsonObject {
  const { message, type, code, limit, reset_at } = errorBody(fault).error;
  const about = {
    code: code ?? fault.code,
    type,
    request_id: requestId,
    ...(limit ? { limit } : {}),
    ...(reset_at === undefined ? {} : { reset_at }),
  };
  return { content: [{ type: "text", text: message }], isError: true, _meta: { "poundkey/error": about } };
}

/** The sender is not let in, or the gateway takes nothing more: no model could do anything about it. */
const NOT_LET_IN: ReadonlySet<number> = new Set([401, 403]);

export function isLetIn({ code, row }: Fault): boolean {
  return code === "content_blocked" || code === "model_not_allowed" || code === "model_not_priced"
    ? true
    : !NOT_LET_IN.has(row.status) && code !== "shutting_down";
}
