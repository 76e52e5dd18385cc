// The id of an answer that its provider stores: the answer's own id, and behind it, sealed for the account, where it lies.
import { asString, isObject, parseJson } from "./json.ts";
import type { Sealer } from "./world.ts";

/** The place of a stored answer. Only the credential that made it finds it there. */
export interface StoredPlace {
  readonly provider: string;
  /** The digest of the credential's secret. */
  readonly credential: string;
  /** The provider's own id of the answer. */
  readonly id: string;
}

/** Stands in no id that the gateway makes. */
const MARK = "_at_";

export function writeStoredName(answerId: string, place: StoredPlace, seal: Sealer): string {
  return answerId + MARK + Buffer.from(seal.seal(JSON.stringify(place)), "base64").toString("base64url");
}

/** Returns null for an id that names no place, another account's, and one that was changed. */
export function readStoredName(name: string, seal: Sealer): StoredPlace | null {
  const mark = name.indexOf(MARK);
  if (mark === -1) return null;
  const sealed = Buffer.from(name.slice(mark + MARK.length), "base64url");
  // Characters that say nothing are not passed over: an answer has one name.
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

/** Returns the answer's own id, which the log and feedback know. */
export function cutStoredName(name: string): string {
  const mark = name.indexOf(MARK);
  return mark === -1 ? name : name.slice(0, mark);
}
