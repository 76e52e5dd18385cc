// A setting of the cache as one text, for flags and forms: 1h, 3600, 1h/NAMESPACE.
import type { CacheSetting } from "../models/caching.ts";

const SECONDS = /^\d+$/;

/** Reads a text, whose parts are checked where the request is read. */
export function parseCacheText(text: string): CacheSetting {
  const [ttl = "", ...rest] = text.trim().split("/");
  const namespace = rest.join("/");
  return { ttl: SECONDS.test(ttl) ? Number(ttl) : ttl, ...(namespace === "" ? {} : { namespace }) };
}

export function writeCacheText({ ttl, namespace }: CacheSetting): string {
  return namespace === undefined ? String(ttl) : `${ttl}/${namespace}`;
}
