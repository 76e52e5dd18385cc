// The fields of the cache, and what they mean together.
import { type Static, Type } from "@sinclair/typebox";
import {
  CACHE_NAMESPACE,
  CACHE_NAMESPACE_EXPECTED,
  CACHE_SECONDS_MAX,
  CACHE_TTL_MAX,
  type CacheRules,
  parseTtl,
} from "../core/models/caching.ts";
import { duration, integer, options, section, size, text } from "./field-types.ts";
import { parseSize } from "./units.ts";

const cacheTtl = Type.Union([integer(0, CACHE_SECONDS_MAX), duration("1s", CACHE_TTL_MAX)], {
  expected: `seconds or a duration like 1h, up to ${CACHE_TTL_MAX}, or 0`,
});
export const cacheSetting = section(
  { ttl: cacheTtl, namespace: Type.Optional(text(CACHE_NAMESPACE_EXPECTED, CACHE_NAMESPACE)) },
  "For how long the alias's answers are kept for the same request.",
);
export const cache = options(
  {
    ttl: cacheTtl,
    clients: Type.Boolean(),
    max_bytes: size("1KB", "10000GB"),
    max_bytes_per_account: size("1KB", "10000GB"),
  },
  "Answers that are kept for the same request.",
);

export function buildCacheRules({
  ttl = 0,
  clients = true,
  max_bytes = "1GB",
  max_bytes_per_account = "256MB",
}: Static<typeof cache> = {}): CacheRules {
  return {
    ttlMs: parseTtl(ttl) ?? 0,
    isForClients: clients,
    bytesMax: parseSize(max_bytes) ?? 0,
    bytesMaxPerAccount: parseSize(max_bytes_per_account) ?? 0,
  };
}
