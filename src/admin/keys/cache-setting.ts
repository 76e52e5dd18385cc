// The setting of the cache on the admin routes, for keys and aliases.
import { Type } from "@sinclair/typebox";
import { invalidValue } from "../../core/json/schema-fault.ts";
import {
  CACHE_NAMESPACE,
  CACHE_NAMESPACE_EXPECTED,
  CACHE_SECONDS_MAX,
  CACHE_TTL_MAX,
  type CacheSetting,
  parseTtl,
} from "../../core/models/caching.ts";
import { DURATION } from "../../core/text/duration.ts";
import { closeObject } from "../schema.ts";

const EXPECTED = `seconds or a duration like 1h, up to ${CACHE_TTL_MAX}, or 0`;

export const cacheSettingSchema = closeObject({
  ttl: Type.Union(
    [
      Type.Integer({ minimum: 0, maximum: CACHE_SECONDS_MAX }),
      Type.String({ pattern: DURATION.source, expected: EXPECTED }),
    ],
    { expected: EXPECTED },
  ),
  namespace: Type.Optional(
    Type.String({ pattern: CACHE_NAMESPACE.source, expected: CACHE_NAMESPACE_EXPECTED }),
  ),
});

/** Throws the Fault `invalid_value` for a time that is too long. */
export function readCacheSetting(given: CacheSetting, name: string): CacheSetting {
  if (parseTtl(given.ttl) !== null) return given;
  throw invalidValue(`${name}.ttl`, `expected ${EXPECTED}`);
}
