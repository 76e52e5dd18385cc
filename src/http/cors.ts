// Cross-origin calls from browsers, only from the origins that the operator named. @elysiajs/cors doesn't fit: it also
// accepts an origin that is named without its scheme, answers every OPTIONS request with 204, even from origins that aren't
// allowed, and adds its headers to answers that no browser asked for.
import type { HTTPHeaders } from "elysia/types";
import { LIMIT_HEADERS } from "./headers.ts";

const METHODS = "GET, POST, PUT, PATCH, DELETE";
/** Names of headers with commas between them. SDKs send some twenty. */
const NAMES = /^[\w-]{1,100}(, ?[\w-]{1,100}){0,63}$/;
const EXPOSED = [
  "x-request-id, retry-after",
  ...LIMIT_HEADERS.flatMap((kind) => [
    ...["limit", "remaining", "reset"].map((part) => `x-ratelimit-${part}-${kind}`),
    ...["limit", "remaining", "reset"].map((part) => `anthropic-ratelimit-${kind}-${part}`),
  ]),
  "x-poundkey-model, x-poundkey-attempts, x-poundkey-selector, x-poundkey-why, x-poundkey-dropped, x-poundkey-replayed",
  "x-poundkey-cost, x-poundkey-charged, x-poundkey-cache, age, server-timing, sunset",
].join(", ");
const PREFLIGHT_SECONDS = "600";
const ASKED = "access-control-request-headers";

/**
 * Adds the headers for an allowed origin. Returns the response to a preflight, and undefined for any other request. A page
 * may send any header, since those of the vendors' SDKs change, but never cookies.
 */
export function crossOrigin(
  request: Request,
  headers: HTTPHeaders,
  origins: readonly string[],
): Response | undefined {
  const origin = request.headers.get("origin");
  if (origin === null || !(origins.includes(origin) || origins.includes("*"))) return undefined;
  headers["access-control-allow-origin"] = origin;
  headers.vary = "origin";
  headers["access-control-expose-headers"] = EXPOSED;
  if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return undefined;
  headers["access-control-allow-methods"] = METHODS;
  const asked = request.headers.get(ASKED) ?? "";
  headers.vary = `origin, ${ASKED}`;
  if (NAMES.test(asked)) headers["access-control-allow-headers"] = asked;
  headers["access-control-max-age"] = PREFLIGHT_SECONDS;
  return new Response(null, { status: 204 });
}
