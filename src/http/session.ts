// /admin/v1/session: the console's sign-in, with the admin token for a cookie, and its sign-out.
import { Elysia } from "elysia";
import { readFields, readText, required } from "../admin/input.ts";
import { formatInstant } from "../admin/instant.ts";
import { SESSION_MS, signIn, signOut } from "../admin/session.ts";
import type { WritingParts } from "./admin-route.ts";
import { json } from "./answers.ts";
import { bearerToken } from "./auth.ts";
import { readJson } from "./body.ts";
import { type Asked, COOKIE, cookieSecret, isSignedIn, refused } from "./operator.ts";

const BODY = { owner: "sign-in", bytesMax: 4096 } as const;
const options = { parse: "none" } as const;

export interface SessionPorts extends WritingParts {
  /** The program's. */
  readonly version: string;
}

export function sessionRoutes(ports: SessionPorts) {
  return new Elysia({ prefix: "/admin/v1" })
    .use(bearerToken())
    .post(
      "/session",
      ({ bearer, request, server }) => signInWith(ports, { bearer, request, server }),
      options,
    )
    .get(
      "/session",
      async ({ bearer, request, server }) => {
        const { expiresAtMs } = await isSignedIn(ports, { bearer, request, server });
        return json(200, { expires_at: formatInstant(expiresAtMs), version: ports.version });
      },
      options,
    )
    .delete(
      "/session",
      async ({ bearer, request, server }) => {
        const asked = { bearer, request, server };
        await isSignedIn(ports, asked);
        await signOut(ports.world, cookieSecret(asked.request) ?? "");
        return cookieAnswer(ports, asked, "", 0);
      },
      options,
    );
}

async function signInWith(ports: SessionPorts, asked: Asked): Promise<Response> {
  const fields = readFields(await readJson(asked.request, ports, BODY), ["token"]);
  const token = required(fields, "token", readText);
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
