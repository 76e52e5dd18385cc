// Signs in to the console in this process, as `POST /admin/v1/session` does. Null if the token is wrong.
import { beginSession, proveToken } from "../../../src/admin/people/session.ts";
import type { AdminWorld } from "../../../src/admin/world.ts";

export async function signIn(
  world: AdminWorld,
  configured: string | null,
  token: string,
): Promise<string | null> {
  const proven = await proveToken(world, configured, token);
  if (proven === null) return null;
  const { tokenDigest, tokenId } = proven;
  return beginSession(world, { tokenDigest, tokenId, memberId: null, issuerSession: null });
}
