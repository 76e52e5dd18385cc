// The public id of an answer stored by its provider: our own id, followed by its location, encrypted for the account.
import { asString, isObject, parseJson } from "../json/json.ts";
import type { Sealer } from "../world/world.ts";

/** The location of a stored answer. Only the credential that created it finds it there. */
export interface StoredLocation {
  readonly provider: string;
  /** The digest of the credential's secret. */
  readonly credential: string;
  /** The provider's own id of the answer. */
  readonly id: string;
}

/** Occurs in no id that the gateway generates. */
const MARK = "_at_";

export function writeStoredName(answerId: string, place: StoredLocation, seal: Sealer): string {
  return answerId + MARK + Buffer.from(seal.seal(JSON.stringify(place)), "base64").toString("base64url");
}

/** Returns null for an id without a location, an altered one, and one of another account. */
export function readStoredName(name: string, seal: Sealer): StoredLocation | null {
  const mark = name.indexOf(MARK);
  if (mark === -1) return null;
  const sealed = Buffer.from(name.slice(mark + MARK.length), "base64url");
  // Characters without meaning are rejected: an answer has exactly one name.
  const isSame = name.endsWith(MARK + sealed.toString("base64url"));
  const opened = isSame ? seal.open(sealed.toString("base64")) : null;
  const place = opened === null ? undefined : parseJson(opened);
  if (!isObject(place)) return null;
  const [provider, credential, id] = [place.provider, place.credential, place.id].map(asString);
  if (provider === undefined || credential === undefined || id === undefined) return null;
  return { provider, credential, id };
}

export function isStoredName(name: string): boolean {
  return name.includes(MARK);
}

/** Returns our own id, as used in the log and for feedback. */
export function cutStoredName(name: string): string {
  const mark = name.indexOf(MARK);
  return mark === -1 ? name : name.slice(0, mark);
}
