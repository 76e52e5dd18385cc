// The rules that every answer of the gateway keeps, and a one-line form of an answer.
import { expect } from "bun:test";
import { asObject, asString, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { parseTranscript, type Transcript } from "./transcript.ts";

/** The headers that answers may have. An upstream's own must never be passed on. */
const HEADERS_KNOWN =
  /^(cache-control|content-(length|type|encoding)|date|transfer-encoding|connection|vary|allow|retry-after|www-authenticate|x-accel-buffering|x-request-id|x-content-type-options|x-should-retry|x-poundkey-(model|attempts|selector|why|dropped|guard|reasoning-removed|replayed|cost|charged)|server-timing|sunset|x-ratelimit-(limit|remaining|reset)-(requests|tokens)|access-control-[a-z-]+)$/;
/** Stack traces, source files, secrets, and an upstream's page or address. */
const NEVER_SHOWN =
  /(\n|\\n)\s+at |\.ts:\d|node_modules|bunfs|sim-key|bad-key|<html|127\.0\.0\.1|localhost|ECONN|\/(openai|anthropic|gemini|mistral|perplexity|cohere)\/v/i;
const ERROR_TYPES = [
  "invalid_request_error",
  "insufficient_quota",
  "permission_error",
  "rate_limit_error",
  "api_error",
];

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty unless the answer is JSON. */
  readonly body: JsonObject;
  /** The error object of an error answer or event. */
  readonly error: JsonObject | null;
  /** Null unless the answer is an event stream. */
  readonly stream: Transcript | null;
}

/** Reads an answer to its end and checks the rules for all answers. */
export async function seen(response: Response): Promise<Seen> {
  const { status, headers } = response;
  const text = await response.text();
  for (const name of headers.keys()) expect(name).toMatch(HEADERS_KNOWN);
  expect(headers.get("x-request-id") ?? "none").toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
  const streamed = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const stream = streamed ? parseTranscript(text) : null;
  const body = asObject(parseJson(text));
  const error = stream ? stream.error : status >= 400 ? asObject(body.error) : null;
  if (status >= 400) checkErrorAnswer(headers, text);
  if (streamed || headers.get("content-type") === "application/json")
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  if (error) checkError(error);
  return { status, headers, text, body, error, stream };
}

function checkErrorAnswer(headers: Headers, text: string): void {
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(Object.keys(asObject(parseJson(text)))).toEqual(["error"]);
}

/** Checks the one error form: four fields, a fifth in time-limited refusals, and one for the limit or the rule that refused. */
export function checkError(error: JsonObject): void {
  const { reset_at: resetAt, limit, reason, ...rest } = error;
  if (limit !== undefined) checkLimit(asObject(limit));
  if (reason !== undefined) expect(error.code).toBe("content_blocked");
  expect(Object.keys(rest).sort()).toEqual(["code", "message", "param", "type"]);
  if (resetAt !== undefined) expect(Number.isNaN(Date.parse(String(resetAt)))).toBe(false);
  expect(ERROR_TYPES).toContain(asString(error.type) ?? "none");
  for (const field of [error.param, error.code])
    expect(field === null || typeof field === "string").toBe(true);
  expect(asString(error.message) ?? "").toMatch(/^\S[\s\S]{3,}/);
  expect(JSON.stringify(error)).not.toMatch(NEVER_SHOWN);
}

function checkLimit({ scope, name, kind, limit, used, reserved = 0 }: JsonObject): void {
  expect(["key", "member", "account"]).toContain(String(scope));
  for (const field of [name, kind]) expect(asString(field)).toMatch(/./);
  for (const field of [limit, used, reserved]) expect(field).toBeNumber();
}

/**
 * Formats an answer for tables: `502 api_error upstream_error`, `200 done`, `200 then api_error upstream_error`, with
 * `, retry after 1` if stated.
 */
export function formatLine({ status, headers, error, stream }: Seen): string {
  const fault = error ? `${error.type} ${error.code}` : "";
  const wait = headers.get("retry-after");
  const what = error ? (stream ? `then ${fault}` : fault) : stream ? "done" : "whole";
  return `${status} ${what}${wait === null ? "" : `, retry after ${wait}`}`;
}

/** The text of the first choice, whole or streamed. */
export function readText({ body, stream }: Seen): string {
  if (stream) return stream.texts[0] ?? "";
  const [choice] = Array.isArray(body.choices) ? body.choices : [];
  return asString(asObject(asObject(choice).message).content) ?? "";
}
