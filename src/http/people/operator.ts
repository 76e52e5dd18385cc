// Access to the admin routes with the admin token, a named token or a session cookie.
import { Type } from "@sinclair/typebox";
import {
  type FindPerson,
  findLogin,
  findSession,
  type Proven,
  proveToken,
} from "../../admin/people/session.ts";
import type { RefusedKind, WrongTokens } from "../../admin/people/wrong-tokens.ts";
import type { AdminWorld } from "../../admin/world.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Act, Scope } from "../../core/people/people.ts";
import type { Permission } from "../../core/people/permissions.ts";
import { isWithin } from "../../core/world/address.ts";
import { checkLoginSecret } from "../../keys/secret.ts";
import type { Access } from "../../people/access.ts";
import { readBearer, requireSecret } from "../serve/auth.ts";
import type { Peers, ReadAddress, ReadOrigin } from "../serve/client-address.ts";
import type { Cookies } from "./cookies.ts";

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
  /** The addresses and blocks that the admin token may come from. Empty for any. */
  readonly adminTokenFrom: readonly string[];
  readonly readAddress: ReadAddress;
  readonly readOrigin: ReadOrigin;
  readonly wrongTokens: Pick<WrongTokens, "refuse" | "note">;
  readonly findPerson: FindPerson;
  readonly cookies: Cookies;
  /** The address at which browsers reach the gateway. Null if it isn't configured. */
  readonly publicUrl: string | null;
}

/** Returns the Fault for a wrong token, cookie or link. All checks use this one, so that every failure is counted. */
export function createRefusal(
  { wrongTokens, readAddress }: OperatorParts,
  asked: OperatorRequest,
  message: string,
  what?: RefusedKind,
): Fault {
  return wrongTokens.refuse(message, readAddress(asked.request, asked.server), what);
}

/** The sender of a request to an admin route. */
interface Operator {
  readonly access: Access;
  readonly act: Act;
  /** The rows that the route's permission covers. */
  readonly scope: Scope;
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
  const { access } = await proveOperator(parts, asked);
  const act = { ...readAct(parts, asked, access), ...readStop(asked.request, access) };
  const operator = { access, act, scope: access.scope(permission) };
  // Also of a sender that lacks the permission: the refusal is on record.
  operators.set(asked.request, operator);
  access.require(permission);
  return operator;
}

/** The parameter as documents show it, of the routes that may set what programs from before wouldn't keep. */
export const stopQuery = Type.Object({
  stop_older: Type.Optional(
    Type.Boolean({
      description:
        "If true, the change is made although nodes of an older program run that wouldn't keep it: they refuse requests from then on. For operators and admins of all accounts; from others it is as if missing.",
    }),
  ),
});

const STOP = /[?&]stop_older=true(&|$)/;

/** Only operators and admins of all accounts may stop nodes. For others the parameter changes nothing. */
function readStop({ url }: Request, access: Access): Pick<Act, "stopsOlder"> {
  return STOP.test(url) && access.may("nodes.stop") ? { stopsOlder: true } : {};
}

/** Returns the sender's rights. A bearer takes precedence, as browsers send cookies on their own. */
export async function proveOperator(parts: OperatorParts, asked: OperatorRequest): Promise<Proven> {
  const bearer = readBearer(asked.request.headers);
  if (bearer === undefined && parts.cookies.readSession(asked.request) !== null)
    return requireSession(parts, asked);
  if (!bearer?.trim()) {
    const message = "You didn't provide an admin token. Send it as 'Authorization: Bearer <admin token>'.";
    throw new Fault("no_api_key", message);
  }
  const secret = requireSecret(bearer);
  if (checkLoginSecret(secret)) return proveLogin(parts, secret);
  const proven = await proveToken(parts.world, parts.adminToken, secret);
  if (proven === null) throw createRefusal(parts, asked, explainWrongToken(bearer));
  checkAddress(parts, asked, proven);
  return proven;
}

/** Nobody guesses one, so one that has ended isn't counted among wrong tokens. */
async function proveLogin(
  { world, adminToken, findPerson, publicUrl }: OperatorParts,
  secret: string,
): Promise<Proven> {
  const login = await findLogin(world, adminToken, secret, findPerson);
  if (login !== null) return login;
  const message = `Your sign-in has ended. Run: poundkey login --admin ${publicUrl ?? "URL"}`;
  throw new Fault("invalid_api_key", message);
}

/** A key of a program is the likeliest mistake. */
export function explainWrongToken(bearer: string): string {
  if (!bearer.trim().startsWith("sk-")) return "Incorrect admin token.";
  return "Incorrect admin token: this is a key for requests to models. Send the admin token, 'pk-admin-…', or a named token, which `poundkey tokens add` makes.";
}

/** Throws if the admin token, or a session that began with it, comes from an address that it may not come from. */
export function checkAddress(
  { adminTokenFrom, readAddress, wrongTokens }: OperatorParts,
  { request, server }: OperatorRequest,
  { access }: Proven,
): void {
  if (access.actor.kind !== "admin" || adminTokenFrom.length === 0) return;
  const address = readAddress(request, server);
  if (isWithin(adminTokenFrom, address)) return;
  wrongTokens.note("address_not_allowed", address);
  const message =
    "The admin token may not be used from your address: 'server.admin_token_from' lists where it may come from.";
  throw new Fault("address_not_allowed", message);
}

/** The id that the gateway has given the request, as its answer shows it: the client's own may be of any form. */
interface NamedRequest {
  readonly request: Request;
  readonly set: { readonly headers: Readonly<Record<string, string | number | undefined>> };
}

/** Makes the request's own header hold its id, from which the audit log takes it. A hook of routes that write there. */
export function nameRequest({ request, set }: NamedRequest): void {
  request.headers.set("x-request-id", String(set.headers["x-request-id"] ?? ""));
}

const AGENT_CHARACTERS_MAX = 200;

/** Returns the request as an act of its sender. */
export function readAct(
  parts: Pick<OperatorParts, "readAddress">,
  asked: OperatorRequest,
  access: Access,
): Act {
  return { ...readSender(parts, asked), actor: access.actor };
}

/** Returns what a request tells of its sender by itself. */
export function readSender(
  { readAddress }: Pick<OperatorParts, "readAddress">,
  { request, server, route }: OperatorRequest,
): Omit<Act, "actor"> {
  return {
    address: readAddress(request, server),
    agent: (request.headers.get("user-agent") ?? "").slice(0, AGENT_CHARACTERS_MAX),
    route: `${request.method} ${route}`,
    requestId: request.headers.get("x-request-id") ?? "",
  };
}

/** Returns the session of a cookie's secret. Null if it has ended. */
export function findOperatorSession(
  { world, adminToken, findPerson }: Pick<OperatorParts, "world" | "adminToken" | "findPerson">,
  secret: string,
) {
  return findSession(world, adminToken, secret, findPerson);
}

/** Returns the rights of the cookie's session. Throws the Faults `no_api_key`, `cross_site_request`, and those of `createRefusal`. */
export async function requireSession(parts: OperatorParts, asked: OperatorRequest): Promise<Proven> {
  const secret = parts.cookies.readSession(asked.request);
  if (secret === null) throw new Fault("no_api_key", "You are not signed in.");
  if (!SAFE.test(asked.request.method)) checkSite(parts, asked);
  const session = await findOperatorSession(parts, secret);
  // Nobody guesses one, so it isn't counted among wrong tokens, nor refused for their number.
  if (session === null) throw new Fault("invalid_api_key", "The session has ended. Please sign in again.");
  checkAddress(parts, asked, session);
  return session;
}

/** Browsers attach the cookie to requests from any site, so only requests from our own pages may change anything. */
export function checkSite(
  { readOrigin, wrongTokens, publicUrl }: Pick<OperatorParts, "readOrigin" | "wrongTokens" | "publicUrl">,
  { request, server }: OperatorRequest,
): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = readOrigin(request, server);
  const isOwn = site === null ? isGatewayOrigin(request, origin, publicUrl) : site === "same-origin";
  if (isOwn) return;
  wrongTokens.note("cross_site_request", origin.address);
  const message =
    "The session cookie only works for the console's own page. " +
    "Send 'Authorization: Bearer <admin token>' instead.";
  throw new Fault("cross_site_request", message);
}

/** A page that came without encryption isn't ours where ours come with it: anybody on the way may have made it. */
function isGatewayOrigin(
  request: Request,
  { hosts, isSecure }: ReturnType<ReadOrigin>,
  publicUrl: string | null,
): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  const { host, protocol } = new URL(origin);
  const own = publicUrl === null ? null : URL.parse(publicUrl);
  if (own !== null && own.host === host) return own.protocol === protocol;
  if (!hosts.some((one) => one.toLowerCase() === host)) return false;
  return protocol === "https:" || (protocol === "http:" && !isSecure);
}
