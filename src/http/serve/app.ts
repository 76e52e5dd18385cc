// The HTTP server: Elysia with every route, and what they share: request ids, the error form, 404 and 405.

import { type AnyElysia, Elysia } from "elysia";
import type { HTTPHeaders } from "elysia/types";
import { Fault, toFault } from "../../core/faults/fault.ts";
import { hideSecret } from "../../core/text/secret-form.ts";
import { logBug } from "../../core/world/bug.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import { checkSecret } from "../../keys/secret.ts";
import { explainUnserved } from "../../surfaces/gemini/unserved.ts";
import { findErrorForm } from "../../surfaces/index.ts";
import { noteFailedChange } from "../audit/audited.ts";
import { giveBackChange } from "../people/counted-changes.ts";
import type { HttpPorts } from "../ports.ts";
import { respondFault } from "../tools/errors.ts";
import { createFaultResponse, createRefusalResponse, type HeaderMap } from "./answers.ts";
import { canonicalScheme } from "./auth.ts";
import { serveBelow } from "./base-path.ts";
import { crossOrigin } from "./cors.ts";
import { findPath, indexPaths, isForOperators, type KnownPaths } from "./paths.ts";
import { rawRoutes, refuseSpelling } from "./spelling.ts";
import { suggestPath } from "./unknown-url.ts";

/** Bun's own limit would answer without a body. `readJson` enforces ours and discards the rest. */
const UNLIMITED_BYTES = Number.MAX_SAFE_INTEGER;
const HOST = /^[A-Za-z0-9.\-_:[\]]{1,255}$/;
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The parts of the gateway that answers need before a route has them. */
type AppPorts = Pick<HttpPorts, "clock" | "draining" | "log" | "random" | "server">;

/** Builds the app. Route files are its plugins, and each registers its own paths. */
export function buildApp(
  ports: AppPorts,
  reusePort: boolean,
  direct: DirectRoutes = {},
  sockets: SocketRoutes | null = null,
) {
  // The raw routes are registered before the app that answers them exists.
  const served: { app: AnyElysia | null } = { app: null };
  const starting = () => createFaultResponse(new Fault("overloaded", "The gateway is starting."));
  const answer = (request: Request) => served.app?.fetch(request) ?? starting();
  let paths: KnownPaths | null = null;
  const listPaths = (): KnownPaths => {
    paths ??= indexPaths(served.app?.routes ?? []);
    return paths;
  };
  const routes = { ...rawRoutes(answer), ...answerDirectly(ports, direct, sockets, answer) };
  const { basePath } = ports.server;
  const app = new Elysia({
    // Below a base path, all requests pass by it. Elysia would add routes of its own around it.
    ...(basePath === "" ? {} : { systemRouter: false }),
    serve: {
      routes: basePath === "" ? routes : serveBelow(basePath, routes, answer),
      hostname: ports.server.host,
      port: ports.server.port,
      reusePort,
      // Chat answers have their own deadlines instead.
      idleTimeout: ports.server.idleSeconds,
      maxRequestBodySize: UNLIMITED_BYTES,
      development: false,
    },
    ...(sockets ? { websocket: sockets.options } : {}),
    // By default, Elysia cuts the path at a fixed offset of the URL, which a short Host header shifts.
    handler: { standardHostname: false },
  })
    .onRequest(({ request, set }) => receive(ports, request, set, listPaths))
    .onError(({ code, error, request, set }) => {
      if (code === "NOT_FOUND") return createErrorResponse(request, unknownPath(request, listPaths()), set);
      const thrown = code === "PARSE" ? error.cause : error;
      const fault = toFault(thrown);
      const refusal = explainThrown(ports, request, thrown, set);
      giveBackChange(request);
      return noteFailedChange(request, fault)?.then(() => refusal) ?? refusal;
    });
  served.app = app;
  return app;
}

/**
 * Begins every request. Returns an answer if it goes no further. `listPaths` is null if Bun has matched the raw target with
 * a path without parameters, so that it is spelled like that.
 */
function receive(
  ports: AppPorts,
  request: Request,
  set: HeaderStore,
  listPaths: (() => KnownPaths) | null,
): Response | undefined {
  set.headers["x-request-id"] = chooseRequestId(request.headers, ports);
  if (ports.draining()) set.headers.connection = "close";
  canonicalScheme(request.headers);
  const otherHost = refuseHost(request, ports.server.hosts);
  if (otherHost) return createErrorResponse(request, otherHost, set);
  // Pages must be able to read the refusals below.
  const isFromPage = request.headers.has("origin");
  const preflight = isFromPage ? crossOrigin(request, set.headers, ports.server.cors) : undefined;
  const misspelling = preflight || listPaths === null ? null : refuseSpelling(request, listPaths);
  const refusal = preflight ? null : (misspelling ?? refuseKeyInUrl(request.url));
  return refusal ? createErrorResponse(request, refusal, set) : preflight;
}

/** Returns the answer to what a handler threw. Only the log has the cause of a bug. */
function explainThrown(ports: AppPorts, request: Request, thrown: unknown, set: HeaderStore): Response {
  logBug(ports, thrown);
  return createErrorResponse(request, toFault(thrown), set);
}

/** A WebSocket's `data` is known to its room alone. */
export type BunServer = Bun.Server<unknown>;

/** Handlers of POST requests by path. */
export type DirectRoutes = Readonly<
  Record<string, (request: Request, server: BunServer, set: HeaderStore) => Promise<Response>>
>;

/** The paths that open WebSockets. */
export interface SocketRoutes {
  readonly paths: readonly string[];
  readonly options: { readonly maxPayloadLength: number };
  /** Answers a handshake. Undefined once the connection is open. */
  upgrade(request: Request, server: BunServer, set: HeaderStore): Promise<Response | undefined>;
}

/**
 * Lets Bun call the handlers of most requests without Elysia's context and hooks. Elysia has the same
 * routes, for the other methods of their paths and for the documents.
 */
function answerDirectly(
  ports: AppPorts,
  direct: DirectRoutes,
  sockets: SocketRoutes | null,
  answerOther: (request: Request) => Response | Promise<Response>,
) {
  const routes = Object.entries(direct).map(([path, answer]) => {
    const post = (request: Request, server: BunServer): Response | Promise<Response> => {
      const set: HeaderStore = { headers: {} };
      const explain = (thrown: unknown) => addHeaders(explainThrown(ports, request, thrown, set), set);
      try {
        const early = receive(ports, request, set, null);
        return early ? addHeaders(early, set) : answer(request, server, set).catch(explain);
      } catch (thrown) {
        return explain(thrown);
      }
    };
    if (!sockets?.paths.includes(path)) return [path, { POST: post }] as const;
    const get = (request: Request, server: BunServer) => {
      if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return answerOther(request);
      const set: HeaderStore = { headers: {} };
      const early = receive(ports, request, set, null);
      if (early) return addHeaders(early, set);
      const explain = (thrown: unknown) => addHeaders(explainThrown(ports, request, thrown, set), set);
      return sockets.upgrade(request, server, set).catch(explain);
    };
    return [path, { POST: post, GET: get }] as const;
  });
  return Object.fromEntries(routes);
}

/** Returns an error in the form of the surface that owns the path, or in that of the SDK which asks at a shared one. */
export function createErrorResponse(request: Request, fault: Fault, { headers }: HeaderStore): Response {
  const path = findPath(request.url);
  const requestId = String(headers["x-request-id"]);
  // Without tool servers, nothing there speaks their protocol.
  if (TOOLS.test(path) && fault.code !== "unknown_url") return respondFault(fault, null, requestId);
  return createRefusalResponse(fault, findErrorForm(path, request.headers).refuse(fault, requestId));
}

const TOOLS = /^\/mcp(\/|$)/;

/** Orchestrators probe each instance by its IP address, so probes may have any Host. */
const PROBES: ReadonlySet<string> = new Set([
  "/healthz",
  "/readyz",
  "/health/liveliness",
  "/health/liveness",
  "/health/readiness",
]);

function refuseHost({ headers, url }: Request, hosts: readonly string[]): Fault | null {
  const host = headers.get("host");
  if (host !== null && !HOST.test(host)) return new Fault("invalid_header", "The Host header is not valid.");
  return hosts.length === 0 || PROBES.has(findPath(url)) ? null : refuseOtherHost(host ?? "", hosts);
}

function refuseOtherHost(host: string, hosts: readonly string[]): Fault | null {
  const name = parseHostName(host);
  if (hosts.some((one) => one.toLowerCase() === name)) return null;
  return new Fault(
    "invalid_header",
    "The Host header names a host that this gateway does not serve (see server.hosts).",
  );
}

/** Returns the host without its port, an IPv6 address's brackets, or a trailing dot. */
function parseHostName(host: string): string {
  const [, address, name = ""] = /^(?:\[(.*)\]|(.*?)\.?)(?::\d+)?$/.exec(host.toLowerCase()) ?? [];
  return address ?? name;
}

const KEY_NAME = /^(x-)?(goog-)?(api[-_]?)?key$|^(access[-_])?token$/i;

/** Refuses a key in the URL, because URLs end up in logs. Ignoring it would hide the leak from the client. */
function refuseKeyInUrl(url: string): Fault | null {
  const at = url.indexOf("?");
  if (at === -1 || isForOperators(findPath(url))) return null;
  const fields = [...new URLSearchParams(url.slice(at))];
  const [name] = fields.find(([field, value]) => KEY_NAME.test(field) || checkSecret(value)) ?? [];
  if (name === undefined) return null;
  const message = "Send the API key in the Authorization header, not in the URL: URLs end up in logs.";
  return new Fault("unknown_parameter", message, { param: name });
}

/** Starts serving, at `port` instead of the configured one if given. Throws if the address can't be used. */
export function listen(app: AnyElysia, port?: number): AnyElysia {
  // Elysia would wait for lazy plugins, of which there are none, then recompile everything and collect garbage.
  app.modules.root = new Promise<never>(() => {});
  return app.listen(port === undefined ? {} : { port });
}

/** Elysia's store for the headers that are added to an answer's own. */
export interface HeaderStore {
  headers: HTTPHeaders;
}

/**
 * Adds the headers that every answer carries. Elysia would rebuild the answer with a stream as its body, which costs 10
 * µs.
 */
export function addHeaders(response: Response, set: HeaderStore): Response {
  for (const [name, value] of Object.entries(set.headers)) {
    if (!response.headers.has(name)) response.headers.set(name, String(value));
  }
  set.headers = {};
  return response;
}

/** Adds the same headers to those of an answer that isn't made yet, which costs nothing. */
export function joinHeaders(headers: HeaderMap, set: HeaderStore): HeaderMap {
  for (const name in set.headers) headers[name] ??= String(set.headers[name]);
  set.headers = {};
  return headers;
}

/** Keeps a client's own valid id, so that its logs can be joined with ours. */
function chooseRequestId(headers: Headers, { random, clock }: Pick<HttpPorts, "random" | "clock">): string {
  const header = headers.get("x-request-id");
  return header !== null && REQUEST_ID.test(header) && hideSecret(header) === header
    ? header
    : `req_${mintOrderedId(random, clock.nowMs())}`;
}

/** A browser asks so before a page's request. One of an allowed origin is answered before it comes here. */
function explainPreflight({ method, headers }: Request): string {
  const origin = headers.get("origin");
  if (method !== "OPTIONS" || origin === null || !headers.has("access-control-request-method")) return "";
  return ` This is a browser's preflight: pages of '${origin.slice(0, 100)}' may call this gateway once 'server.cors' names that origin.`;
}

function unknownPath(request: Request, known: KnownPaths): Fault {
  const path = findPath(request.url);
  const shown = `${request.method} ${path.slice(0, 100)}`;
  const hint = suggestPath(path, known);
  // The path of a Gemini model may be anything below /v1beta.
  const methods = explainUnserved(path) === null ? known.findMethods(path) : [];
  if (methods.length > 0 && !methods.includes(request.method)) {
    const allow = methods.join(", ");
    // A served path suggests itself, but `/v1/responses/responses` also looks like an answer's id.
    const other = known.plain.includes(path) && path !== "/" ? "" : hint;
    const message = `${shown} is not supported: this URL supports ${allow}, not ${request.method}.${other}${explainPreflight(request)}`;
    return new Fault("method_not_supported", message, { allow });
  }
  return new Fault("unknown_url", `Unknown request URL: ${shown}.${hint}`);
}
