// Identifiers of users and caches, shortened to what a provider accepts.
import { createHash } from "node:crypto";
import type { ChatRequest } from "../../operations/chat/form.ts";
import type { Changed } from "../../operations/form.ts";

/**
 * The longest identifier that OpenAI accepts ("Invalid 'user': string too long. Expected a string with maximum length
 * 64"), and that is sent to any server whose bound is unknown. Claude Code's has 150 characters.
 */
export const IDENTIFIER_CHARACTERS_MAX = 64;
const FIELDS = ["user", "safety_identifier", "prompt_cache_key"] as const;

/**
 * Replaces longer identifiers by a digest of 64 characters, always the same one, so that a provider's tracking of abuse
 * and its caches still tell users apart. Returns the same request if none is longer.
 */
export function boundIdentifiers(request: ChatRequest, charactersMax: number): Changed<ChatRequest> {
  const long = FIELDS.filter((field) => {
    const value = request[field];
    return typeof value === "string" && value.length > charactersMax;
  });
  if (long.length === 0) return { ask: request, dropped: [] };
  const digests = long.map((field) => [field, digest(String(request[field]))]);
  return { ask: { ...request, ...Object.fromEntries(digests) }, dropped: long };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
