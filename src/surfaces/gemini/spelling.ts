// The two spellings of Gemini's fields: `generationConfig` is what the API documents, and `generation_config` means the same.
import { isObject, type JsonObject } from "../../core/json.ts";

/** The fields that checks, holds and translation read, by their other spelling. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["system_instruction", "systemInstruction"],
  ["generation_config", "generationConfig"],
  ["tool_config", "toolConfig"],
]);

/** The fields within these are respelled too. */
const RESPELLED: ReadonlySet<string> = new Set(["generationConfig", "toolConfig", "tools"]);

/** Fields within whose value has names of the client's own, which must stay as they are. */
const OPAQUE: ReadonlySet<string> = new Set([
  ...["parameters", "parametersJsonSchema", "response"],
  ...["responseSchema", "responseJsonSchema", "_responseJsonSchema"],
]);

/**
 * Returns a request with its settings and tools in the documented spelling. Google's Python SDK mixes both, and an unread
 * `candidate_count` would be held as one answer. Of a field that is there twice, the documented one counts.
 */
export function respell(given: JsonObject): JsonObject {
  const fields: JsonObject = {};
  for (const [field, value] of Object.entries(given)) {
    const name = SPELLINGS.get(field) ?? field;
    if (name !== field && name in given) continue;
    fields[name] = RESPELLED.has(name) ? respellValue(value) : value;
  }
  return fields;
}

function respellValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respellValue);
  return isObject(value) ? respellFields(value) : value;
}

/** Returns an object with its fields in the documented spelling. */
export function respellFields(given: JsonObject): JsonObject {
  const fields: JsonObject = {};
  for (const [field, value] of Object.entries(given)) {
    const name = field.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    if (name !== field && name in given) continue;
    fields[name] = OPAQUE.has(name) ? value : respellValue(value);
  }
  return fields;
}
