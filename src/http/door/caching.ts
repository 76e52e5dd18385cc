// Reads the demands of a request on the cache, from the settings of its key and its alias and from its own headers.

import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import {
  CACHE_SECONDS_MAX,
  type CacheRules,
  type CacheSetting,
  type Caching,
  parseTtl,
} from "../../core/models/caching.ts";
import { parseDuration } from "../../core/text/duration.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import type { Arrival } from "./arrival.ts";

const WISH = "x-poundkey-cache";
const DEFAULT_TTL_MS = parseDuration("1h") ?? 0;
const SECONDS = /^max-age="?(\d{1,9})"?$/;

type Holder = Pick<GatewayKey, "cache" | "keepsResponses">;

/** Returns null if nothing asks for the cache. Throws the Fault `invalid_value` for a wish that isn't one. */
export function readCaching(
  { request: { headers } }: Pick<Arrival, "request">,
  key: Holder,
  selection: Selection,
  rules: CacheRules,
): Caching | null {
  const setting = findSetting(key, selection);
  const wish = headers.get(WISH);
  const control = headers.get("cache-control");
  if (setting === null && wish === null && rules.ttlMs === 0 && control === null) return null;
  const isWished = wish !== null && readWish(wish);
  const directives = readDirectives(control ?? "");
  const ttlMs = setting === null ? computeTtl(rules, isWished, directives.maxAgeMs) : parseTtl(setting.ttl);
  if (!ttlMs && !isWished && !directives.isOnly) return null;
  const namespace = setting?.namespace ?? null;
  const times = computeTimes(key, ttlMs ?? 0, directives);
  const isOnce = headers.get("idempotency-key") !== null;
  return { ...times, ...(isOnce ? NOTHING : null), namespace, whenAlone, outcome: null };
}

/** A key's own counts before that of the alias which it names. */
function findSetting({ cache }: Holder, selection: Selection): CacheSetting | null {
  return cache ?? (selection.kind === "selector" ? selection.cache : null) ?? null;
}

/** The time for an answer whose key and alias have no setting. */
function computeTtl({ isForClients, ttlMs }: CacheRules, isWished: boolean, maxAgeMs: number | null): number {
  if (!isWished || !isForClients) return ttlMs;
  return Math.min(maxAgeMs ?? (ttlMs || DEFAULT_TTL_MS), CACHE_SECONDS_MAX * 1000);
}

/** An Idempotency-Key has its own store of answers. */
const NOTHING = { ttlMs: 0, ageMaxMs: 0 };

/** Until the cache knows of others that wait for the answer, its client is alone. */
const whenAlone: Caching["whenAlone"] = (task) => task();

function computeTimes(
  { keepsResponses }: Holder,
  ttlMs: number,
  { noCache, noStore, isOnly, maxAgeMs }: ReturnType<typeof readDirectives>,
): Pick<Caching, "ttlMs" | "ageMaxMs" | "isOnly"> {
  const usedMs = keepsResponses ? ttlMs : 0;
  const takes = !noCache && (usedMs > 0 || isOnly);
  return {
    ttlMs: noStore ? 0 : usedMs,
    ageMaxMs: takes ? (maxAgeMs ?? Number.POSITIVE_INFINITY) : 0,
    isOnly,
  };
}

function readWish(wish: string): boolean {
  if (wish.trim().toLowerCase() === "on") return true;
  throw new Fault("invalid_value", `Invalid header '${WISH}': expected on.`, { param: WISH });
}

/** Directives that mean nothing here are ignored, as HTTP demands. */
function readDirectives(header: string) {
  const words = header
    .toLowerCase()
    .split(",")
    .map((word) => word.trim());
  const seconds = words.flatMap((word) => SECONDS.exec(word)?.[1] ?? [])[0];
  return {
    noCache: words.includes("no-cache"),
    noStore: words.includes("no-store"),
    isOnly: words.includes("only-if-cached"),
    maxAgeMs: seconds === undefined ? null : Number(seconds) * 1000,
  };
}
