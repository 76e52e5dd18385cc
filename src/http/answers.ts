// Answers to clients: JSON bodies, and faults in the one error form with the headers that SDKs go by.
import { errorBody, type Fault } from "../core/fault.ts";
import type { Document, Refusal } from "../surfaces/surface.ts";
import { streamPieces } from "./direct.ts";

const RETRY_SHOWN_MAX_MS = 60_000;
/** The wait for faults that pass soon without anybody having said when. */
const RETRY_UNKNOWN_MS = 1000;

export type HeaderMap = Record<string, string>;

/** No browser may take an answer for anything but what it says it is. */
const NOSNIFF = { "x-content-type-options": "nosniff" } as const;
/** The headers of JSON, which is for one reader alone. */
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

export function json(status: number, body: unknown, headers: HeaderMap = {}): Response {
  return rendered(status, JSON.stringify(body), headers);
}

/** A body that is JSON already, or in the type that the headers name. */
export function rendered(
  status: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: HeaderMap = {},
): Response {
  return new Response(body, {
    status,
    headers: { ...JSON_HEADERS, ...headers },
  });
}

/** An answer that a surface has written itself. */
export function documentAnswer({ content, type }: Document, headers: HeaderMap): Response {
  const isWhole = typeof content === "string" || content instanceof Uint8Array;
  const body = isWhole ? content : streamPieces(content.pieces);
  return rendered(200, body, { ...headers, "content-type": type });
}

/** The error answer. `headers` are those that the route gives on success too. */
export function faultAnswer(fault: Fault, headers: HeaderMap = {}): Response {
  return json(fault.row.status, errorBody(fault), { ...headers, ...faultHeaders(fault) });
}

/** An error answer as a surface words it. */
export function refusalAnswer(fault: Fault, refusal: Refusal, headers: HeaderMap = {}): Response {
  const all: HeaderMap = { ...headers, ...faultHeaders(fault) };
  for (const [name, value] of Object.entries(refusal.headers ?? {})) {
    if (value === null) delete all[name];
    else all[name] = value;
  }
  return json(refusal.status, refusal.body, all);
}

function faultHeaders(fault: Fault): HeaderMap {
  const { retryAfterMs, allow } = fault.details;
  const headers: HeaderMap = {};
  if (fault.row.status === 401) headers["www-authenticate"] = "Bearer";
  const isFinal = fault.row.final || fault.row.status === 401 || fault.row.status === 403;
  if (isFinal) headers["x-should-retry"] = "false";
  if (allow) headers.allow = allow;
  // The rest of the body would still be waited for.
  if (fault.code === "request_timeout") headers.connection = "close";
  const mayPass = fault.row.status === 503 || fault.code === "provider_busy";
  const waitMs = retryAfterMs ?? (mayPass ? RETRY_UNKNOWN_MS : undefined);
  if (waitMs === undefined) return headers;
  // A provider's wish is cut to a minute: SDKs ignore a longer one and hammer instead.
  const shownMs = fault.row.blame === "provider" ? Math.min(waitMs, RETRY_SHOWN_MAX_MS) : waitMs;
  headers["retry-after"] = String(Math.max(1, Math.ceil(shownMs / 1000)));
  return headers;
}

/** Header values hold what a client may have named: only plain characters, and not too many. */
export function headerList(names: readonly string[]): string {
  return names
    .map((name) => name.replace(/[^\w.[\]-]/g, "?").slice(0, 64))
    .slice(0, 64)
    .join(", ");
}

/** A duration in OpenAI's form: `1h2m3s`, `6m0s`, `12ms`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
