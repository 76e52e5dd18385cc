// The kind of fault in a recorded error answer, judged by its status and message.
import type { Fault, FaultCode } from "../../src/core/faults/fault.ts";
import { asArray, asObject, asString, isObject, parseJson } from "../../src/core/json/json.ts";
import { splitEvents } from "./events.ts";
import type { Recording } from "./load.ts";

/** By status only (CONTRACT §4): a provider's 401, 402 and 403 are never the client's fault. */
const BY_STATUS: Readonly<Record<number, FaultCode>> = {
  401: "upstream_auth",
  402: "upstream_auth",
  403: "upstream_auth",
  404: "model_not_found",
  413: "request_too_large",
  429: "provider_busy",
  500: "upstream_error",
  503: "upstream_error",
};

/** Words in recorded messages about a prompt that is too long. */
const TOO_LONG =
  /maximum context length|available context size|too many tokens|exceeds the maximum number of tokens|input tokens exceeds maximum/i;

/** Returns the mistakes in the fault that an adapter made of a recorded error. */
export function faultDifferences(fault: Fault, recording: Recording): string[] {
  const { body, status } = recording;
  const error = bodyOf(body);
  const message = messageOf(error);
  const code = codeOf(status, body);
  const wrong: string[] = [];
  if (fault.code !== code) wrong.push(`${fault.code}, not ${code} (${status} ${message.slice(0, 60)})`);
  const shown = code === "upstream_rejected" || code === "context_length_exceeded";
  const words = keptWords(message);
  if (shown && (words === "" || !fault.message.includes(words)))
    wrong.push(`message lost: ${fault.message.slice(0, 80)}`);
  const delay = /"retryDelay": ?"([\d.]+)s"/.exec(body)?.[1];
  if (delay && fault.details.retryAfterMs !== Number(delay) * 1000) {
    wrong.push(`retry after ${String(fault.details.retryAfterMs)} ms, not ${delay} s`);
  }
  return wrong;
}

function codeOf(status: number, body: string): FaultCode {
  if (status !== 400 && status !== 422) return BY_STATUS[status] ?? "upstream_error";
  // Google refuses a bad key with 400 and states it in the details.
  if (body.includes("API_KEY_INVALID")) return "upstream_auth";
  if (body.includes("The provided model identifier is invalid")) return "model_not_found";
  return TOO_LONG.test(body) ? "context_length_exceeded" : "upstream_rejected";
}

/** Gemini's streams send an error as plain JSON, as an event, or in a list. */
function bodyOf(body: string): unknown {
  const json = parseJson(body) ?? splitEvents(body)[0]?.json;
  return asArray(json)[0] ?? json;
}

/** Reads `error.message`, `message`, `detail`, or an `error` that is a string. */
function messageOf(error: unknown): string {
  const body = asObject(error);
  const inner = isObject(body.error) ? body.error.message : body.error;
  return asString(inner ?? body.message ?? body.detail) ?? "";
}

/** The part of a message that must be kept. Links and possible secrets may be removed. */
function keptWords(message: string): string {
  return (message.split(/https?:\/\/|sk-|Bearer /)[0] ?? "").trim().slice(0, 200).trim();
}
