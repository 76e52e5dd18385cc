// /admin/v1/session: signing in with a token or a link, which sets the session cookie, who is signed in, and signing out.
import type { Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { recordAct } from "../../admin/audit/audit-trail.ts";
import {
  beginSession,
  endLogin,
  type GatewayFacts,
  type Proven,
  proveToken,
  SESSION_MS,
  sessionSchema,
  sessionView,
  signInSchema,
  signOut,
} from "../../admin/people/session.ts";
import { Fault } from "../../core/faults/fault.ts";
import { checkLoginSecret } from "../../keys/secret.ts";
import { type BodyPorts, readJson } from "../body/body.ts";
import { describeRoute, returnsBody, takesBody } from "../openapi/route-schema.ts";
import { JSON_HEADERS } from "../serve/answers.ts";
import { readBearer } from "../serve/auth.ts";
import {
  checkAddress,
  createRefusal,
  explainWrongToken,
  nameRequest,
  type OperatorParts,
  type OperatorRequest,
  proveOperator,
  readAct,
  readSender,
  requireSession,
} from "./operator.ts";
import { senderSessionRoutes } from "./sender-sessions.ts";

const BODY = { owner: "sign-in", bytesMax: 4096 } as const;
const TAG = "Session";
const SET_COOKIE = { 204: { description: "The cookie is set or removed." } } as const;

interface LinkPorts {
  /** True for a quick start that its link signs in to. */
  readonly takesLinks: () => boolean;
}

type SessionPorts = OperatorParts & BodyPorts & GatewayFacts & LinkPorts;

export function sessionRoutes(ports: SessionPorts) {
  return new Elysia().use(currentSessionRoutes(ports)).use(senderSessionRoutes(ports));
}

function currentSessionRoutes(ports: SessionPorts) {
  return new Elysia({ prefix: "/admin/v1" })
    .onTransform(nameRequest)
    .post(
      "/session",
      ({ request, server, route, body }) => signInWith(ports, { request, server, route }, body),
      {
        parse: ({ request }) => readJson(request, ports, BODY),
        body: takesBody(signInSchema),
        ...describeRoute(
          TAG,
          "signIn",
          "Sign in with the admin token, a named token or the link of a quick start, and get a session cookie",
          SET_COOKIE,
        ),
      },
    )
    .get(
      "/session",
      async ({ request, server, route, set }) => {
        const asked = { request, server, route };
        const hasBearer = request.headers.has("authorization");
        const proven = await (hasBearer ? proveOperator(ports, asked) : requireSession(ports, asked));
        Object.assign(set.headers, JSON_HEADERS);
        return sessionView(proven, ports);
      },
      {
        response: returnsBody(sessionSchema),
        ...describeRoute(
          TAG,
          "getSession",
          "Get the current session: the sender, and what the sender may do",
        ),
      },
    )
    .delete(
      "/session",
      ({ request, server, route }) => end(ports, { request, server, route }),
      describeRoute(
        TAG,
        "signOut",
        "Sign out: end the session, or the sign-in of the command line",
        SET_COOKIE,
      ),
    );
}

async function end(ports: SessionPorts, asked: OperatorRequest): Promise<Response> {
  const login = readLogin(asked.request);
  if (login !== null) return logOut(ports, asked, login);
  const proven = await requireSession(ports, asked);
  await signOut(ports.world, ports.cookies.readSession(asked.request) ?? "");
  await noteSession(ports, asked, proven, "session.ended");
  return createCookieResponse(ports, asked, "", 0);
}

/** Returns the secret of a sign-in of the command line, by which no browser asks. */
function readLogin(request: Request): string | null {
  const bearer = readBearer(request.headers)?.trim() ?? "";
  return checkLoginSecret(bearer) ? bearer : null;
}

async function logOut(ports: SessionPorts, asked: OperatorRequest, login: string): Promise<Response> {
  const proven = await proveOperator(ports, asked);
  await endLogin(ports.world, login);
  await noteSession(ports, asked, proven, "session.ended");
  return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
}

async function signInWith(
  ports: SessionPorts,
  asked: OperatorRequest,
  { token, once }: Static<typeof signInSchema>,
): Promise<Response> {
  if (token !== undefined && once !== undefined)
    throw new Fault("invalid_value", "Send either 'token' or 'once'.", { param: "once" });
  const proven =
    once === undefined ? await proveGiven(ports, asked, token) : await proveOnce(ports, asked, once);
  const { tokenDigest, tokenId } = proven;
  const owner = { tokenDigest, tokenId, memberId: null, issuerSession: null };
  const secret = await beginSession(ports.world, owner, readSender(ports, asked));
  await noteSession(ports, asked, proven, "session.started");
  return createCookieResponse(ports, asked, secret, SESSION_MS / 1000);
}

async function proveGiven(ports: SessionPorts, asked: OperatorRequest, token: string | undefined) {
  if (token === undefined)
    throw new Fault("missing_required_parameter", "Missing required parameter: 'token'.", { param: "token" });
  const proven = await proveToken(ports.world, ports.adminToken, token);
  if (proven === null) throw createRefusal(ports, asked, explainWrongToken(token));
  checkAddress(ports, asked, proven);
  return proven;
}

async function proveOnce(ports: SessionPorts, asked: OperatorRequest, once: string) {
  if (!ports.takesLinks())
    throw createRefusal(ports, asked, "Incorrect link: sign in with the admin token.", "link");
  const { proveLink } = await import("./console-link.ts");
  return proveLink(ports, asked, once);
}

function noteSession(
  ports: SessionPorts,
  asked: OperatorRequest,
  { access }: Proven,
  action: "session.started" | "session.ended",
): Promise<void> {
  const target = { type: "session", id: "", name: "" } as const;
  return recordAct(ports.world, readAct(ports, asked, access), { action, target });
}

function createCookieResponse(
  { readOrigin, cookies }: SessionPorts,
  asked: OperatorRequest,
  secret: string,
  seconds: number,
): Response {
  const cookie = cookies.formatSession(secret, seconds, readOrigin(asked.request, asked.server).isSecure);
  return new Response(null, { status: 204, headers: { "set-cookie": cookie, "cache-control": "no-store" } });
}
