// Fields of `_meta` that only the gateway writes, such as the code of its own refusals: a server's are dropped.
import { isObject, type JsonObject } from "../../core/json/json.ts";

const PREFIX = "poundkey/";

/** Returns what a server has written without them: the same object if it has none. */
export function dropGatewayMeta(holder: JsonObject): JsonObject {
  const { _meta: meta } = holder;
  if (!isObject(meta)) return holder;
  const fields = Object.entries(meta).filter(([name]) => !name.startsWith(PREFIX));
  return fields.length === Object.keys(meta).length
    ? holder
    : { ...holder, _meta: Object.fromEntries(fields) };
}
