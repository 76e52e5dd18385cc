// A key's setting of the cache as the store keeps it, as JSON.

import { asObject, asString, parseJson } from "../../core/json/json.ts";
import type { CacheSetting } from "../../core/models/caching.ts";

export function parseCacheSetting(json: string): CacheSetting {
  const { ttl, namespace } = asObject(parseJson(json));
  const name = asString(namespace);
  return {
    ttl: typeof ttl === "number" || typeof ttl === "string" ? ttl : 0,
    ...(name ? { namespace: name } : {}),
  };
}
