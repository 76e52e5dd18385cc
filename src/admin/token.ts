// The token that the metrics may ask for, and the admin token: made at the first start where none is configured, kept as a digest, checked without telling how it differs.
import { Fault } from "../core/fault.ts";
import { digestSecret, isSameDigest, mintAdminToken } from "../keys/secret.ts";
import type { AdminWorld } from "./world.ts";

/**
 * Makes the token when none is configured and none was made before, and gives it, to be shown this once; null when
 * there was nothing to make.
 */
export async function ensureAdminToken(world: AdminWorld, configured: string | null): Promise<string | null> {
  const { store, random, pepper } = world;
  if (configured !== null || (await store.setting("admin_token_digest")) !== null) return null;
  const token = mintAdminToken(random);
  const digest = digestSecret(token, pepper);
  // If several processes start at once, only the one whose token was kept shows it.
  return (await store.keepSetting("admin_token_digest", digest)) === digest ? token : null;
}

/** Makes a new token in place of the one before, and gives it, to be shown this once. */
export async function resetAdminToken({ store, random, pepper }: AdminWorld): Promise<string> {
  const token = mintAdminToken(random);
  await store.setSetting("admin_token_digest", digestSecret(token, pepper));
  return token;
}

type Known = Pick<AdminWorld, "store" | "pepper">;

/** The digest of the admin token: the configured one where there is one, else the one that was made; null: there is none. */
export async function adminTokenDigest(
  { store, pepper }: Known,
  configured: string | null,
): Promise<string | null> {
  return configured === null ? store.setting("admin_token_digest") : digestSecret(configured, pepper);
}

export async function checkAdminToken(
  known: Known,
  configured: string | null,
  token: string,
): Promise<boolean> {
  const kept = await adminTokenDigest(known, configured);
  return kept !== null && isSameDigest(kept, digestSecret(token, known.pepper));
}

/** Throws unless no token is asked for or `given`, the request's bearer, is the one. The comparison takes constant time. */
export function checkScraper(
  { pepper }: Pick<AdminWorld, "pepper">,
  asked: string | null,
  given: string | undefined,
): void {
  if (asked === null) return;
  if (given === undefined || given === "") {
    const message = "The metrics ask for a token. Send it as 'Authorization: Bearer <metrics.token>'.";
    throw new Fault("no_api_key", message);
  }
  if (isSameDigest(digestSecret(asked, pepper), digestSecret(given.trim(), pepper))) return;
  throw new Fault("invalid_api_key", "That is not the token in 'metrics.token'.");
}
