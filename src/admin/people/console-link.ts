// The link of a quick start that signs in to the console once, as the holder of the admin token.
import type { Session } from "../../core/people/people.ts";
import { digestLink, mintLinkSecret } from "../../keys/secret.ts";
import { ADMIN_TOKEN_ACCESS } from "../../people/access.ts";
import type { AdminWorld } from "../world.ts";
import type { Proven } from "./session.ts";
import { adminTokenDigest } from "./token.ts";

const LINK_MS = 10 * 60_000;

/** Makes a link in place of the one before, and returns its secret. */
export async function makeLink({ store, random, pepper, clock }: AdminWorld): Promise<string> {
  const secret = mintLinkSecret(random);
  const link = { digest: digestLink(secret, pepper), expiresAtMs: clock.nowMs() + LINK_MS };
  await store.people.keepLink(link);
  return secret;
}

/** Ends the link of an earlier start. */
export function endLink({ store }: AdminWorld): Promise<void> {
  return store.people.keepLink(null);
}

/** Uses the link up and returns what it gives. Null if it was used, has expired or never was. */
export async function takeLink(
  world: AdminWorld,
  secret: string,
): Promise<(Proven & Pick<Session, "tokenDigest" | "tokenId">) | null> {
  const { store, pepper, clock } = world;
  // The session ends with the admin token, as one that began with it does.
  const tokenDigest = await adminTokenDigest(world, null);
  if (tokenDigest === null) return null;
  if (!(await store.people.takeLink(digestLink(secret, pepper), clock.nowMs()))) return null;
  return { access: ADMIN_TOKEN_ACCESS, expiresAtMs: null, tokenDigest, tokenId: null };
}
