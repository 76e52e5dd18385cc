// Metadata with objects and lists, which programs that trace their calls send to other gateways. OpenAI's API has texts only.
import { isObject, type JsonObject } from "../../core/json/json.ts";

/** Returns the body without entries of its metadata that are objects or lists. Returns the same one if it has none. */
export function dropNested(body: JsonObject): JsonObject {
  const { metadata } = body;
  if (!isObject(metadata)) return body;
  const isNested = (value: unknown) => typeof value === "object" && value !== null;
  const entries = Object.entries(metadata);
  const kept = entries.filter(([, value]) => !isNested(value));
  if (kept.length === entries.length) return body;
  const { metadata: _all, ...others } = body;
  return kept.length === 0 ? others : { ...others, metadata: Object.fromEntries(kept) };
}
