// Access to the admin routes with the admin token or a session cookie, and /admin/v1/session, which sets the cookie.
import { Elysia } from "elysia";
import { note } from "../admin/audit-trail.ts";
import { formatInstant } from "../admin/format.ts";
import { findSession, SESSION_MS, sessionSchema, signIn, signInSchema, signOut } from "../admin/session.ts";
import { checkAdminToken } from "../admin/token.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { WrongTokens } from "../admin/wrong-tokens.ts";
import { Fault } from "../core/fault.ts";
import type { Act } from "../core/people.ts";
import type { Session } from "../core/rows.ts";
import { type Access, ADMIN_TOKEN, adminAccess } from "../people/access.ts";
import type { Permission } from "../people/roles.ts";
import { JSON_HEADERS } from "./answers.ts";
import { readBearer, requireSecret } from "./auth.ts";
import { type BodyPorts, readJson } from "./body.ts";
import type { Peers, ReadOrigin } from "./client-address.ts";
import { describeRoute, returnsBody, takesBody } from "./route-schema.ts";

const COOKIE = "poundkey_session";
const COOKIE_SHAPE = new RegExp(`(?:^|;)\\s*${COOKIE}=([0-9A-Za-z]{1,100})\\s*(?:;|$)`);
const SAFE = /^(GET|HEAD|OPTIONS)$/;

/** A request as route handlers get it. */
export interface OperatorRequest {
  readonly request: Request;
  /** The route's path, such as `/admin/v1/keys/:id`. */
  readonly route: string;
  readonly server: (Peers & { timeout(request: Request, seconds: number): void }) | null;
}

export interface OperatorParts {
  readonly world: AdminWorld;
  /** The configured token. Null if the one made at the first start applies. */
  readonly adminToken: string | null;
  readonly readOrigin: ReadOrigin;
  readonly wrongTokens: Pick<WrongTokens, "refuse">;
}

/** Returns the Fault for a wrong token or cookie. All checks use this one, so that every failure is counted. */
function createRefusal(
  { wrongTokens, readOrigin }: OperatorParts,
  asked: OperatorRequest,
  message: string,
): Fault {
  return wrongTokens.refuse(message, readOrigin(asked.request, asked.server).address);
}

/** Returns the session secret in the request's cookie. Null if there is none. */
function readCookieSecret(request: Request): string | null {
  return COOKIE_SHAPE.exec(request.headers.get("cookie") ?? "")?.[1] ?? null;
}

/** The sender of a request to an admin route. */
interface Operator {
  readonly access: Access;
  readonly act: Act;
}

/** By request, once its sender is known. */
const operators = new WeakMap<Request, Operator>();

/** Returns the sender of a request. Null if it isn't known. */
export function findOperator(request: Request): Operator | null {
  return operators.get(request) ?? null;
}

/** Returns the sender of a request that was checked. Throws if the route forgot to check it. */
export function readOperator(request: Request): Operator {
  const operator = operators.get(request);
  if (operator === undefined) throw new Error("The sender of this request was not checked.");
  return operator;
}

/** Throws unless the sender of the request is permitted to, and remembers the sender for `readOperator`. */
export async function checkOperator(
  parts: OperatorParts,
  asked: OperatorRequest,
  permission: Permission,
): Promise<Operator> {
  const access = await findAccess(parts, asked);
  const operator = { access, act: readAct(parts, asked, access) };
  // Also of a sender that lacks the permission: the refusal is on record.
  operators.set(asked.request, operator);
  access.require(permission);
  return operator;
}

/** A bearer takes precedence, as browsers send cookies on their own. */
async function findAccess(parts: OperatorParts, asked: OperatorRequest): Promise<Access> {
  const { world, adminToken } = parts;
  const bearer = readBearer(asked.request.headers);
  if (bearer === undefined && readCookieSecret(asked.request) !== null) {
    await requireSession(parts, asked);
    return adminAccess(ADMIN_TOKEN);
  }
  if (!bearer?.trim()) {
    const message = "You didn't provide an admin token. Send it as 'Authorization: Bearer <admin token>'.";
    throw new Fault("no_api_key", message);
  }
  if (await checkAdminToken(world, adminToken, requireSecret(bearer))) return adminAccess(ADMIN_TOKEN);
  throw createRefusal(parts, asked, "Incorrect admin token.");
}

const AGENT_CHARACTERS_MAX = 200;

function readAct(
  { readOrigin }: OperatorParts,
  { request, server, route }: OperatorRequest,
  access: Access,
): Act {
  return {
    actor: access.actor,
    address: readOrigin(request, server).address,
    agent: (request.headers.get("user-agent") ?? "").slice(0, AGENT_CHARACTERS_MAX),
    route: `${request.method} ${route}`,
    requestId: request.headers.get("x-request-id") ?? "",
  };
}

/** Returns the cookie's session. Throws the Faults `no_api_key`, `cross_site_request`, and those of `createRefusal`. */
async function requireSession(parts: OperatorParts, asked: OperatorRequest): Promise<Session> {
  const secret = readCookieSecret(asked.request);
  if (secret === null) throw new Fault("no_api_key", "You are not signed in.");
  if (!SAFE.test(asked.request.method)) checkSite(parts, asked);
  const session = await findSession(parts.world, parts.adminToken, secret);
  if (session !== null) return session;
  throw createRefusal(parts, asked, "The session has ended. Please sign in again.");
}

/** Browsers attach the cookie to requests from any site, so only requests from our own pages may change anything. */
function checkSite({ readOrigin }: OperatorParts, { request, server }: OperatorRequest): void {
  const site = request.headers.get("sec-fetch-site");
  const isOwn =
    site === null ? isOwnOrigin(request, readOrigin(request, server).hosts) : site === "same-origin";
  if (isOwn) return;
  const message =
    "The session cookie only works for the console's own page. " +
    "Send 'Authorization: Bearer <admin token>' instead.";
  throw new Fault("cross_site_request", message);
}

function isOwnOrigin(request: Request, hosts: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  const { host, protocol } = new URL(origin);
  return /^https?:$/.test(protocol) && hosts.some((one) => one.toLowerCase() === host);
}

const BODY = { owner: "sign-in", bytesMax: 4096 } as const;
const TAG = "Session";
const SET_COOKIE = { 204: { description: "The cookie is set or removed." } } as const;

interface SessionPorts extends OperatorParts, BodyPorts {
  /** The program's version. */
  readonly version: string;
}

export function sessionRoutes(ports: SessionPorts) {
  return new Elysia({ prefix: "/admin/v1" })
    .post(
      "/session",
      ({ request, server, route, body }) => signInWith(ports, { request, server, route }, body.token),
      {
        parse: ({ request }) => readJson(request, ports, BODY),
        body: takesBody(signInSchema),
        ...describeRoute(TAG, "signIn", "Sign in with the admin token and get a session cookie", SET_COOKIE),
      },
    )
    .get(
      "/session",
      async ({ request, server, route, set }) => {
        const { expiresAtMs } = await requireSession(ports, { request, server, route });
        Object.assign(set.headers, JSON_HEADERS);
        return { expires_at: formatInstant(expiresAtMs), version: ports.version };
      },
      {
        response: returnsBody(sessionSchema),
        ...describeRoute(TAG, "getSession", "Get the current session"),
      },
    )
    .delete(
      "/session",
      async ({ request, server, route }) => {
        await requireSession(ports, { request, server, route });
        await signOut(ports.world, readCookieSecret(request) ?? "");
        await noteSession(ports, { request, server, route }, "session.ended");
        return createCookieResponse(ports, { request, server, route }, "", 0);
      },
      describeRoute(TAG, "signOut", "Sign out", SET_COOKIE),
    );
}

async function signInWith(ports: SessionPorts, asked: OperatorRequest, token: string): Promise<Response> {
  const secret = await signIn(ports.world, ports.adminToken, token);
  if (secret === null) throw createRefusal(ports, asked, "Incorrect admin token.");
  await noteSession(ports, asked, "session.started");
  return createCookieResponse(ports, asked, secret, SESSION_MS / 1000);
}

function noteSession(
  ports: SessionPorts,
  asked: OperatorRequest,
  action: "session.started" | "session.ended",
): Promise<void> {
  const act = readAct(ports, asked, adminAccess(ADMIN_TOKEN));
  return note(ports.world, act, { action, target: { type: "session", id: "", name: "" } });
}

/** Only requests from our own pages carry the cookie, and no script can read it. */
function createCookieResponse(
  { readOrigin }: SessionPorts,
  asked: OperatorRequest,
  secret: string,
  seconds: number,
): Response {
  const secure = readOrigin(asked.request, asked.server).isSecure ? "; Secure" : "";
  const cookie = `${COOKIE}=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
  return new Response(null, { status: 204, headers: { "set-cookie": cookie, "cache-control": "no-store" } });
}
