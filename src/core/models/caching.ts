// The cache of answers: the operator's settings, the demands of a request, and the words for its fate.
import { parseDuration } from "../text/duration.ts";

/** The longest time for which an answer is kept. */
export const CACHE_TTL_MAX = "365d";
const MS_PER_SECOND = 1000;
export const CACHE_SECONDS_MAX = (parseDuration(CACHE_TTL_MAX) ?? 0) / MS_PER_SECOND;

/** The setting of a key or an alias, as it was written. */
export interface CacheSetting {
  /** Seconds, or a duration such as `1h`. 0 keeps nothing. */
  readonly ttl: number | string;
  /** Personal keys share answers with all others of their account that name the same. */
  readonly namespace?: string;
}

export const CACHE_NAMESPACE = /^[\w.:-]{1,64}$/;
export const CACHE_NAMESPACE_EXPECTED = "1 to 64 letters, digits and . _ : -";

/** Reads seconds or a duration. Null for what is neither, or longer than an answer is kept. */
export function parseTtl(ttl: number | string): number | null {
  const ms = typeof ttl === "number" ? ttl * MS_PER_SECOND : parseDuration(ttl);
  return ms !== null && ms >= 0 && ms <= CACHE_SECONDS_MAX * MS_PER_SECOND ? Math.round(ms) : null;
}

/** The operator's rules for all answers. */
export interface CacheRules {
  /** The time for which all answers are kept. 0 if only those are whose key, alias or request asks for it. */
  readonly ttlMs: number;
  /** False if a request's own wish has no effect. */
  readonly isForClients: boolean;
  /** Beyond these, the oldest answers are deleted. */
  readonly bytesMax: number;
  readonly bytesMaxPerAccount: number;
}

/** As the answer's headers say: it was kept before, it is from now on, it isn't, or it must not be. */
export type CacheState = "hit" | "miss" | "stored" | "bypass";

/** The demands of one request on the cache. */
export interface Caching {
  /** The time for which its answer is kept. 0 if it isn't. */
  readonly ttlMs: number;
  /** The oldest answer that it takes. 0 for none, infinite for any that is kept. */
  readonly ageMaxMs: number;
  /** True if no provider may be asked. */
  readonly isOnly: boolean;
  readonly namespace: string | null;
  /** Calls back once nobody else waits for the answer, at once if nobody does. The cache sets it. */
  whenAlone: (task: () => void) => void;
  /** Set as soon as it is known. Null before, and if the request isn't admitted. */
  outcome: { readonly state: CacheState; readonly ageMs: number | null } | null;
}
