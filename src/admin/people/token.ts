// The metrics token, and the admin token, made at the first start unless configured: only digests are compared.
import { Fault } from "../../core/faults/fault.ts";
import { digestSecret, isSameDigest, mintAdminToken } from "../../keys/secret.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";

/**
 * Makes an admin token if none is configured or stored, and returns it, to be shown only once. Null if there was no
 * need.
 */
export async function ensureAdminToken(world: AdminWorld, configured: string | null): Promise<string | null> {
  const { store, random, pepper } = world;
  if (configured !== null || (await store.setting("admin_token_digest")) !== null) return null;
  const token = mintAdminToken(random);
  const digest = digestSecret(token, pepper);
  // If several processes start at once, only the one whose token was stored shows it.
  return (await store.keepSetting("admin_token_digest", digest)) === digest ? token : null;
}

/** Replaces the token, and returns the new one, to be shown only once. */
export async function resetAdminToken({ changes, random, pepper }: ActingWorld): Promise<string> {
  const token = mintAdminToken(random);
  const digest = digestSecret(token, pepper);
  await changes.changeOperatorSetting("admin_token_digest", () => digest);
  return token;
}

type TokenParts = Pick<AdminWorld, "store" | "pepper">;

/** Returns the digest of the configured admin token, or else of the one that was made. Null if there is none. */
export async function adminTokenDigest(
  { store, pepper }: TokenParts,
  configured: string | null,
): Promise<string | null> {
  return configured === null ? store.setting("admin_token_digest") : digestSecret(configured, pepper);
}

/** Throws if a token is required and `given`, the request's bearer, isn't it. Compares in constant time. */
export function checkScraper(
  { pepper }: Pick<AdminWorld, "pepper">,
  asked: string | null,
  given: string | undefined,
): void {
  if (asked === null) return;
  if (given === undefined || given === "") {
    const message = "The metrics require a token. Send it as 'Authorization: Bearer <metrics.token>'.";
    throw new Fault("no_api_key", message);
  }
  if (isSameDigest(digestSecret(asked, pepper), digestSecret(given.trim(), pepper))) return;
  throw new Fault("invalid_api_key", "Incorrect token: it must be the one in 'metrics.token'.");
}
