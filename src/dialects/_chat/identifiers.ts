// Identifiers of users and caches, and metadata, shortened to what a provider accepts.

import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import type { ChangedAsk } from "../../operations/form.ts";
import { digestText, shorten } from "./shorten.ts";

const FIELDS = ["user", "safety_identifier", "prompt_cache_key"] as const;

/** The longest metadata that the API defines (OpenAI API reference, "metadata"). */
const METADATA = { entriesMax: 16, keyCharactersMax: 64, valueCharactersMax: 512 };

/**
 * Replaces longer identifiers by a digest of 64 characters, always the same one, so that a provider's tracking of abuse
 * and its caches still tell users apart. Returns the same request if nothing is too long.
 */
export function boundIdentifiers(request: ChatRequest, charactersMax: number): ChangedAsk<ChatRequest> {
  const changed: JsonObject = {};
  for (const field of FIELDS) {
    const value = request[field];
    if (typeof value === "string" && value.length > charactersMax) changed[field] = digestText(value);
  }
  const metadata = isObject(request.metadata) ? boundMetadata(request.metadata) : null;
  if (metadata !== null) changed.metadata = metadata;
  const dropped = Object.keys(changed);
  return { ask: dropped.length === 0 ? request : { ...request, ...changed }, dropped };
}

/** Leaves out the entries beyond the first ones, and shortens keys and values. Null if none is too long. */
function boundMetadata(metadata: Readonly<JsonObject>): JsonObject | null {
  const { entriesMax, keyCharactersMax, valueCharactersMax } = METADATA;
  const entries = Object.entries(metadata);
  const isLong = ([key, value]: [string, unknown]) =>
    key.length > keyCharactersMax || (typeof value === "string" && value.length > valueCharactersMax);
  if (entries.length <= entriesMax && !entries.some(isLong)) return null;
  const kept = entries
    .slice(0, entriesMax)
    .map(([key, value]) => [
      key.length > keyCharactersMax ? shorten(key, keyCharactersMax) : key,
      typeof value === "string" && value.length > valueCharactersMax ? digestText(value) : value,
    ]);
  return Object.fromEntries(kept);
}
