// Anthropic's errors, as an answer of their own, inside a stream, or in a body with status 200.
import type { Fault } from "../../core/faults/fault.ts";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { ErrorRule } from "../../core/models/upstream.ts";
import { explainChat, explainEmbeddedError } from "../_chat/error.ts";

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
  return explainChat(status, headers, body, nowMs, RULES);
}

/** Returns the fault for an error event, or for an error body with status 200. */
export function explainAnswer(body: JsonObject): Fault {
  return explainEmbeddedError(body, RULES);
}

/** True if a body is an error. */
export function isError(body: JsonObject): boolean {
  return body.type === "error" || isObject(body.error);
}

/** True for a 400 about a tool loop in which the model finds no thinking although it has a budget for some. */
export function isThinkingMissed({ code, message }: Fault): boolean {
  return code === "upstream_rejected" && /Expected `(redacted_)?thinking`/.test(message);
}
