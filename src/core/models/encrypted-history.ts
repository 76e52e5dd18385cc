// A conversation's history that its provider has encrypted, with the place at which it can be read.
import { asObject, asString, parseJson } from "../json/json.ts";
import type { Sealer } from "../world/world.ts";

/** A provider's credential: another one belongs to another account there. */
export interface CredentialPlace {
  readonly provider: string;
  /** The digest of the credential's secret. */
  readonly credential: string;
}

/** An item of a request that only one provider reads. */
export interface EncryptedHistory {
  /** Its place in the request. */
  readonly path: string;
  /** Null if nobody knows who made it: then it goes to the model that the client names plainly, if that could have. */
  readonly place: CredentialPlace | null;
}

/** Seals the provider's text with its place, for the account. */
export function sealHistory(seal: Sealer, place: CredentialPlace, content: string): string {
  return seal.seal(JSON.stringify({ ...place, content }));
}

/** Returns null for what isn't such a text. `opened` is what the sealer has opened. */
export function readHistory(opened: string): (CredentialPlace & { readonly content: string }) | null {
  const read = asObject(parseJson(opened));
  const provider = asString(read.provider);
  const credential = asString(read.credential);
  const content = asString(read.content);
  if (provider === undefined || credential === undefined || content === undefined) return null;
  return { provider, credential, content };
}
