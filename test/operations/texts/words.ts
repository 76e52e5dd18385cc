// The words of a body's texts, found without the tables under test: by the names of the fields that hold no text.
import { isObject, type JsonObject } from "../../../src/core/json/json.ts";

/** Fields with the API's own words, ids, addresses or data. */
const SETTINGS = new Set([
  "type",
  "role",
  "model",
  "mode",
  "status",
  "phase",
  "format",
  "include",
  "category",
  "display",
  "$schema",
  "id",
  "tool_call_id",
  "call_id",
  "tool_use_id",
  "toolUseId",
  "data",
  "bytes",
  "encrypted_content",
  "url",
  "image_url",
  "file_url",
  "document_url",
  "fileUri",
  "file_uri",
  "voice",
  "quality",
  "input_type",
  "media_type",
  "mimeType",
  "mime_type",
  "responseMimeType",
  "signature",
  "thoughtSignature",
  "thought_signature",
  "effort",
  "reasoning_effort",
  "thinkingLevel",
  "search_context_size",
  "allowed_callers",
  "native_finish_reason",
  "finish_reason",
  "stop_reason",
  "inference_geo",
  "service_tier",
  "speed",
  "encrypted_index",
  "file_id",
  "tool_id",
  "item_id",
  "document_id",
  "object",
  "verbosity",
  "prompt_cache_retention",
  "truncation",
  "obfuscation",
  "system_fingerprint",
  "modelVersion",
  "responseId",
  "serviceTier",
  "finishReason",
  "kind",
  "language",
  "outcome",
  "modality",
  "probability",
  "urlRetrievalStatus",
  "blockReason",
  "trafficType",
  "context",
]);
/** Objects with nothing but words of the API. */
const HOLDERS = new Set(["reasoning"]);
/** Objects whose keys the client chose. */
const NAMED = new Set(["properties", "input", "args", "$defs"]);
/**
 * Words that dialects write by themselves: names of fields around results and files, of the web search, and JSON Schema's
 * in a text.
 */
const OWN = new Set([
  "result",
  "content",
  "output",
  "answer",
  "Answer",
  "reasoning",
  "document",
  "thought",
  "object",
  "string",
  "integer",
  "number",
  "boolean",
  "properties",
  "required",
  "description",
  "additionalProperties",
  "schema",
  "attached",
  "exactly",
  "message",
  "search",
]);

const WORD = /\p{L}{6,}/gu;
const ENCODED = /^data:|^[A-Za-z0-9+/_=-]{120,}$/;

/** Returns the words of all texts, each with the field that holds it. */
export function listWords(body: JsonObject): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  visit(body, "", found);
  return found;
}

function visit(value: unknown, field: string, found: Map<string, string>): void {
  if (typeof value === "string") {
    if (SETTINGS.has(field) || ENCODED.test(value)) return;
    for (const [word] of value.matchAll(WORD)) if (!OWN.has(word) && !found.has(word)) found.set(word, field);
  } else if (Array.isArray(value)) for (const one of value) visit(one, isObject(one) ? "" : field, found);
  else if (isObject(value)) {
    for (const [name, held] of Object.entries(value)) {
      if (NAMED.has(field)) visit(name, `${field}.*`, found);
      if (!HOLDERS.has(name) || !isObject(held)) visit(held, name, found);
    }
  }
}

/** Makes each letter another: the same words stay the same, names stay names, and the text of JSON stays JSON's. */
export function garble(text: string): string {
  return text.replace(/\p{L}/gu, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    if (code > 0x7f) return String.fromCodePoint(code + 1);
    const base = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((code - base + 13) % 26) + base);
  });
}
