// Cross-origin calls from browsers. Pages of the origins that the operator named may call everything, with `*` those of
// any origin may call the APIs. No answer allows credentials, so no page elsewhere can act with the console's cookie.
// @elysiajs/cors doesn't fit: it also accepts an origin that is named without its scheme, answers every OPTIONS request
// with 204, even from origins that aren't allowed, and adds its headers to answers that no browser asked for.
import type { HTTPHeaders } from "elysia/types";
import { SURFACES } from "../../surfaces/index.ts";
import { findPath } from "./paths.ts";

const ANY = "*";
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const PREFLIGHT_SECONDS = "600";

/** The first segments of the paths that key holders use. Operators, people and their agents have the others. */
const APIS: ReadonlySet<string | undefined> = new Set([
  ...SURFACES.map(({ path }) => path.split("/")[1]),
  "models",
]);

/** Any header may be sent, since SDKs send many, but for those in which proxies report where a request came from. */
const HEADER = /^(?!forwarded$|x-forwarded-|x-real-ip$)[a-z0-9_-]{1,100}$/;
const HEADERS_MAX = 100;

/** Adds the headers for an allowed origin. Returns the response to a preflight, and undefined for any other request. */
export function crossOrigin(
  request: Request,
  headers: HTTPHeaders,
  origins: readonly string[],
): Response | undefined {
  const origin = request.headers.get("origin");
  const allowed = origin === null ? null : findAllowed(origin, request.url, origins);
  if (allowed === null) return undefined;
  headers["access-control-allow-origin"] = allowed;
  headers.vary = "origin";
  // Without credentials, this means all headers.
  headers["access-control-expose-headers"] = "*";
  if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return undefined;
  headers["access-control-allow-methods"] = METHODS;
  headers["access-control-allow-headers"] = listHeaders(request.headers);
  headers["access-control-max-age"] = PREFLIGHT_SECONDS;
  return new Response(null, { status: 204 });
}

/** Returns the origin, or `*` if any is allowed. Null if none is. */
function findAllowed(origin: string, url: string, origins: readonly string[]): string | null {
  if (origins.includes(origin)) return origin;
  return origins.includes(ANY) && APIS.has(findPath(url).split("/", 2)[1]) ? ANY : null;
}

/** Lists what the page wants to send. `*` wouldn't include `authorization`, and older browsers don't know it. */
function listHeaders(headers: Headers): string {
  const asked = (headers.get("access-control-request-headers") ?? "").split(",", HEADERS_MAX);
  const names = asked.map((name) => name.trim().toLowerCase());
  return names.filter((name) => HEADER.test(name)).join(", ");
}
