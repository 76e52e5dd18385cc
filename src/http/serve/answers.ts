// Answers to clients: JSON bodies, and faults in the one error form with the headers that SDKs act on.
import { errorBody, type Fault } from "../../core/faults/fault.ts";
import { findWaitMs } from "../../core/faults/fault-wait.ts";
import type { Document, Refusal } from "../../surfaces/surface.ts";
import { streamPieces } from "./direct.ts";

/** A budget that starts over later is no wait: clients would sleep until then without a word. */
const BUDGET_WAIT_MAX_MS = 60_000;

export type HeaderMap = Record<string, string>;

/** Keeps browsers from guessing another content type. */
const NOSNIFF = { "x-content-type-options": "nosniff" } as const;
/** The headers of JSON, which must not be cached. */
export const JSON_HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  ...NOSNIFF,
} as const;
/** The headers of a stream of server-sent events. */
export const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
  ...NOSNIFF,
} as const;

export function createJsonResponse(status: number, body: unknown, headers: HeaderMap = {}): Response {
  return createResponse(status, JSON.stringify(body), headers);
}

/**
 * Bun writes up to 16 KB, head included, as one send. Of a longer answer that isn't ready at once, it sends each part of
 * each header line by itself: 15 sends, three times the CPU of a stream.
 */
const ONE_SEND_BYTES_MAX = 15_000;

/** Returns a response whose body is already serialised: JSON, or the type that the headers name. */
export function createResponse(
  status: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: HeaderMap = {},
): Response {
  const sent = typeof body === "string" ? streamLong(body) : body;
  return new Response(sent, { status, headers: { ...JSON_HEADERS, ...headers } });
}

function streamLong(body: string): string | ReadableStream<Uint8Array> {
  return Buffer.byteLength(body) > ONE_SEND_BYTES_MAX ? streamPieces([body]) : body;
}

/** Each answer gets a copy. */
const JSON_HEAD = new Headers(JSON_HEADERS);

/** Returns an answer of JSON with these headers beside its own. Read one by one, they cost a third less than all at once. */
export function createAnswerResponse(body: string, headers: HeaderMap): Response {
  const response = new Response(streamLong(body), { headers: JSON_HEAD });
  for (const name in headers) response.headers.set(name, headers[name] ?? "");
  return response;
}

/** Returns a response that a surface has written itself. */
export function createDocumentResponse({ content, type }: Document, headers: HeaderMap): Response {
  const isWhole = typeof content === "string" || content instanceof Uint8Array;
  const body = isWhole ? content : streamPieces(content.pieces);
  return createResponse(200, body, { ...headers, "content-type": type });
}

/** Returns the error response. `headers` are those that the route also sends on success. */
export function createFaultResponse(fault: Fault, headers: HeaderMap = {}): Response {
  return createJsonResponse(fault.row.status, errorBody(fault), { ...headers, ...faultHeaders(fault) });
}

/** Returns an error response in a surface's form. */
export function createRefusalResponse(fault: Fault, refusal: Refusal, headers: HeaderMap = {}): Response {
  return createJsonResponse(refusal.status, refusal.body, refusalHeaders(fault, refusal, headers));
}

/** Returns the headers of an error response in a surface's form. */
export function refusalHeaders(fault: Fault, refusal: Refusal, headers: HeaderMap = {}): HeaderMap {
  const all: HeaderMap = { ...headers, ...faultHeaders(fault) };
  for (const [name, value] of Object.entries(refusal.headers ?? {})) {
    if (value === null) delete all[name];
    else all[name] = value;
  }
  return all;
}

export function faultHeaders(fault: Fault): HeaderMap {
  const { allow } = fault.details;
  const headers: HeaderMap = {};
  if (fault.row.status === 401) headers["www-authenticate"] = "Bearer";
  const isFinal = fault.row.final || fault.row.status === 401 || fault.row.status === 403;
  if (isFinal) headers["x-should-retry"] = "false";
  if (allow) headers.allow = allow;
  // Otherwise the server would wait for the rest of the body.
  if (fault.code === "request_timeout") headers.connection = "close";
  const waitMs = findWaitMs(fault);
  const isHidden = fault.code === "budget_exceeded" && waitMs !== undefined && waitMs > BUDGET_WAIT_MAX_MS;
  if (waitMs === undefined || isHidden) return headers;
  headers["retry-after"] = String(Math.max(1, Math.ceil(waitMs / 1000)));
  return headers;
}

/** Joins names that may come from the client: header values get only plain characters, and a limited number of them. */
export function formatHeaderList(names: readonly string[]): string {
  return names
    .map((name) => name.replace(/[^\w.[\]-]/g, "?").slice(0, 64))
    .slice(0, 64)
    .join(", ");
}

/** Formats a duration as OpenAI does: `1h2m3s`, `6m0s`, `12ms`. */
export function formatOpenaiDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = seconds % 60;
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
