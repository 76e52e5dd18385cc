// /admin/v1/session: the console's sign-in, with the admin token for a cookie, and its sign-out.
import { Elysia } from "elysia";
import { formatInstant } from "../admin/format.ts";
import { SESSION_MS, sessionSchema, signIn, signInSchema, signOut } from "../admin/session.ts";
import type { WritingParts } from "./admin-route.ts";
import { JSON_HEADERS } from "./answers.ts";
import { readJson } from "./body.ts";
import { type Asked, COOKIE, cookieSecret, isSignedIn, refused } from "./operator.ts";
import { answers, takesBody, tell } from "./route-schema.ts";

const BODY = { owner: "sign-in", bytesMax: 4096 } as const;
const TAG = "Session";
const SET_COOKIE = { 204: { description: "The cookie is set, or taken away." } } as const;

export interface SessionPorts extends WritingParts {
  /** The program's. */
  readonly version: string;
}

export function sessionRoutes(ports: SessionPorts) {
  return new Elysia({ prefix: "/admin/v1" })
    .post("/session", ({ request, server, body }) => signInWith(ports, { request, server }, body.token), {
      parse: ({ request }) => readJson(request, ports, BODY),
      body: takesBody(signInSchema),
      ...tell(TAG, "signIn", "Sign in: the admin token for a session's cookie", SET_COOKIE),
    })
    .get(
      "/session",
      async ({ request, server, set }) => {
        const { expiresAtMs } = await isSignedIn(ports, { request, server });
        Object.assign(set.headers, JSON_HEADERS);
        return { expires_at: formatInstant(expiresAtMs), version: ports.version };
      },
      { response: answers(sessionSchema), ...tell(TAG, "getSession", "The session of the cookie") },
    )
    .delete(
      "/session",
      async ({ request, server }) => {
        await isSignedIn(ports, { request, server });
        await signOut(ports.world, cookieSecret(request) ?? "");
        return cookieAnswer(ports, { request, server }, "", 0);
      },
      tell(TAG, "signOut", "Sign out", SET_COOKIE),
    );
}

async function signInWith(ports: SessionPorts, asked: Asked, token: string): Promise<Response> {
  const secret = await signIn(ports.world, ports.adminToken, token);
  if (secret === null) throw refused(ports, asked, "That is not the admin token.");
  return cookieAnswer(ports, asked, secret, SESSION_MS / 1000);
}

/** Only our own pages' requests carry it, no script reads it. */
function cookieAnswer({ originOf }: SessionPorts, asked: Asked, secret: string, seconds: number): Response {
  const secure = originOf(asked.request, asked.server).isSecure ? "; Secure" : "";
  const cookie = `${COOKIE}=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
  return new Response(null, { status: 204, headers: { "set-cookie": cookie, "cache-control": "no-store" } });
}
