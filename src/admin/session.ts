// The operator's sign-in: exchanges the admin token for a secret that ends on expiry, sign-out, or a new token.
import { Type } from "@sinclair/typebox";
import type { Session } from "../core/rows.ts";
import { digestSecret, digestSession, isSameDigest, mintSessionSecret } from "../keys/secret.ts";
import { closeObject, instant, text } from "./schema.ts";
import { adminTokenDigest } from "./token.ts";
import type { AdminWorld } from "./world.ts";

export const SESSION_MS = 12 * 3_600_000;

export const signInSchema = closeObject({ token: text });
export const sessionSchema = Type.Object({ expires_at: instant, version: text });

/** Returns the secret of a new session. Null if the admin token is wrong. */
export async function signIn(
  world: AdminWorld,
  configured: string | null,
  token: string,
): Promise<string | null> {
  const { store, pepper, random, clock } = world;
  const kept = await adminTokenDigest(world, configured);
  if (kept === null || !isSameDigest(kept, digestSecret(token, pepper))) return null;
  const secret = mintSessionSecret(random);
  const nowMs = clock.nowMs();
  const session = {
    digest: digestSession(secret, pepper),
    tokenDigest: kept,
    expiresAtMs: nowMs + SESSION_MS,
    tokenId: null,
    memberId: null,
    issuerSession: null,
  };
  await store.addSession(session, nowMs);
  return secret;
}

/**
 * Returns the session of a secret. Null if it has ended, or the admin token has changed since. The
 * caller looks up what a person may do.
 */
export async function findSession(
  world: AdminWorld,
  configured: string | null,
  secret: string,
): Promise<Session | null> {
  const { store, pepper, clock } = world;
  const session = await store.session(digestSession(secret, pepper));
  if (session === null || session.expiresAtMs <= clock.nowMs()) return null;
  if (session.memberId !== null) return session;
  const kept = await adminTokenDigest(world, configured);
  return kept !== null && isSameDigest(kept, session.tokenDigest) ? session : null;
}

/** Ends a session, on every node. */
export function signOut({ store, pepper }: AdminWorld, secret: string): Promise<void> {
  return store.endSession(digestSession(secret, pepper));
}
