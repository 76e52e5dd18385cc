// The HTTP server: Elysia with every route, and what holds for all of them — request ids, the error form, 404 and 405.
import { type AnyElysia, Elysia } from "elysia";
import type { HTTPHeaders } from "elysia/types";
import { Fault, toFault } from "../core/fault.ts";
import type { Random } from "../core/world.ts";
import { findSurface } from "../surfaces/index.ts";
import { faultAnswer, refusalAnswer } from "./answers.ts";
import { canonicalScheme } from "./auth.ts";
import { crossOrigin } from "./cors.ts";
import { type FindMethods, findPath, indexMethods, isForOperators } from "./paths.ts";
import type { HttpPorts } from "./ports.ts";
import { hintAt, rawRoutes, refuseSpelling } from "./spelling.ts";

/** Bun's own wall answers without a body: ours is met in `readJson`, and what comes after it is passed over unkept. */
const NO_WALL = Number.MAX_SAFE_INTEGER;
/** The longest silence of a connection; a chat answer has its own deadlines instead. */
export const IDLE_SECONDS = 60;
const HOST = /^[A-Za-z0-9.\-_:[\]]{1,255}$/;
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The plugins are the route files' instances; each of them registers its own paths. */
export function buildApp(ports: HttpPorts, reusePort: boolean) {
  // The routes are registered before there is an app to answer them.
  const served: { app: AnyElysia | null } = { app: null };
  const answer = (request: Request) => served.app?.fetch(request) ?? faultAnswer(starting());
  let found: FindMethods | null = null;
  const findMethods: FindMethods = (path) => {
    found ??= indexMethods(served.app?.routes ?? []);
    return found(path);
  };
  const app = new Elysia({
    serve: {
      routes: rawRoutes(answer),
      hostname: ports.server.host,
      port: ports.server.port,
      reusePort,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: NO_WALL,
      development: false,
    },
    // Elysia would take the path from a fixed offset of the URL otherwise: a short Host header shifts it.
    handler: { standardHostname: false },
  })
    .onRequest(({ request, set }) => {
      set.headers["x-request-id"] = requestIdOf(request.headers, ports.random);
      if (ports.draining()) set.headers.connection = "close";
      canonicalScheme(request.headers);
      const refusal =
        refuseHost(request, ports.server.hosts) ??
        refuseSpelling(request, findMethods) ??
        refuseKeyInUrl(request.url);
      if (refusal) return formAnswer(request, refusal, set);
      return crossOrigin(request, set.headers, ports.server.cors);
    })
    .onError(({ code, error, request, set }) => {
      if (code === "NOT_FOUND") return formAnswer(request, unknownPath(request, findMethods), set);
      const fault = toFault(code === "PARSE" ? error.cause : error);
      if (fault.code === "internal_error") logBug(ports, error);
      return formAnswer(request, fault, set);
    });
  served.app = app;
  return app;
}

/** An error in the form of the surface that the path belongs to. */
function formAnswer(request: Request, fault: Fault, { headers }: Signing): Response {
  const surface = findSurface(findPath(request.url));
  return refusalAnswer(fault, surface.refuse(fault, String(headers["x-request-id"])));
}

function starting(): Fault {
  return new Fault("overloaded", "The gateway is starting.");
}

/** Probes come by an address: orchestrators ask each instance by its own. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

function refuseHost({ headers, url }: Request, hosts: readonly string[]): Fault | null {
  const host = headers.get("host");
  if (host !== null && !HOST.test(host)) return new Fault("invalid_header", "The Host header is not valid.");
  if (hosts.length === 0 || PROBES.has(findPath(url))) return null;
  const name = hostName(host ?? "");
  if (hosts.some((one) => one.toLowerCase() === name)) return null;
  return new Fault(
    "invalid_header",
    "The Host header names no host that this gateway serves (server.hosts).",
  );
}

/** Without the port, an IPv6 address's brackets, and the dot with which a name may end. */
function hostName(host: string): string {
  const [, address, name = ""] = /^(?:\[(.*)\]|(.*?)\.?)(?::\d+)?$/.exec(host.toLowerCase()) ?? [];
  return address ?? name;
}

const KEY_IN_URL = /[?&](key|api[-_]?key|access[-_]token|token)=/i;

/** URLs end up in logs, so a key is never taken from one, nor passed over: the client would not learn that it leaks. */
function refuseKeyInUrl(url: string): Fault | null {
  if (!url.includes("?") || isForOperators(findPath(url))) return null;
  const name = KEY_IN_URL.exec(url)?.[1];
  if (name === undefined) return null;
  const message = "Send the key in the Authorization header, never in the URL, where logs would keep it.";
  return new Fault("unknown_parameter", message, { param: name });
}

/** Serves the gateway from now on, at another port than the operator's where one is given. Throws when it can't be had. */
export function listen(app: AnyElysia, port?: number): AnyElysia {
  // It would compile and serve all once more for plugins that were still loading, of which there are none, and collect garbage.
  app.modules.root = new Promise<never>(() => {});
  return app.listen(port === undefined ? {} : { port });
}

/** The place where Elysia keeps the headers that an answer is to bear beside its own. */
export interface Signing {
  headers: HTTPHeaders;
}

/**
 * The answer with the headers that every answer bears. Left to Elysia, it would be built again with a stream in place of its
 * text, which costs 10 µs.
 */
export function signed(response: Response, set: Signing): Response {
  for (const [name, value] of Object.entries(set.headers)) {
    if (!response.headers.has(name)) response.headers.set(name, String(value));
  }
  set.headers = {};
  return response;
}

/** A client's own valid id is kept, so that its logs and ours can be joined; it identifies nothing inside. */
function requestIdOf(headers: Headers, random: Random): string {
  const given = headers.get("x-request-id");
  return given !== null && REQUEST_ID.test(given) ? given : `req_${mintId(random)}`;
}

/** 128 random bits in hexadecimal. */
function mintId(random: Random): string {
  return random.bytes(16).toHex();
}

const TIME_DIGITS = 12;

/**
 * The millisecond and 80 random bits in hexadecimal. Rows with such ids come to lie beside each other: of a batch that
 * the store writes, their keys take one page instead of one each, which saves it 8 of 29 µs a request.
 */
export function mintOrderedId(random: Random, nowMs: number): string {
  return Math.floor(nowMs).toString(16).padStart(TIME_DIGITS, "0") + random.bytes(10).toHex();
}

function unknownPath(request: Request, findMethods: FindMethods): Fault {
  const path = findPath(request.url);
  const methods = findMethods(path);
  if (methods.length > 0 && !methods.includes(request.method)) {
    const allow = methods.join(", ");
    return new Fault("method_not_supported", `This URL takes ${allow}, not ${request.method}.`, { allow });
  }
  const shown = `${request.method} ${path.slice(0, 100)}`;
  return new Fault("unknown_url", `Unknown request URL: ${shown}.${hintAt(path, findMethods)}`);
}

function logBug(ports: HttpPorts, error: unknown): void {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  ports.log({ event: "internal_error", level: "error", cause });
}
