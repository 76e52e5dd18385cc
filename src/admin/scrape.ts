// Access to the metrics: open to everybody, or to those who show the token that the operator has set.
import { Fault } from "../core/fault.ts";
import { digestSecret, isSameDigest } from "../keys/secret.ts";
import type { AdminWorld } from "./world.ts";

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
