// The spellings of Gemini's fields: the API documents `generationConfig` and lists, but also accepts `generation_config`
// and, for a list of one, its only object.
import { isObject, type JsonObject, keepSame } from "../../core/json/json.ts";
import { mapList } from "../../operations/text-json.ts";

/** Fields whose own fields are respelled too. */
const RESPELLED: ReadonlySet<string> = new Set(["generationConfig", "toolConfig", "tools"]);

/** Lists of objects. Google's own examples write `contents` as one object. */
const LISTS: ReadonlySet<string> = new Set(["contents", "tools", "functionDeclarations"]);

/** Fields whose values contain the client's own names, which must not change. */
const OPAQUE: ReadonlySet<string> = new Set([
  "parameters",
  "parametersJsonSchema",
  "response",
  "responseSchema",
  "responseJsonSchema",
  "_responseJsonSchema",
]);

/**
 * Returns a request with its settings and tools in the documented spelling. Google's Python SDK mixes both, and an
 * unread `candidate_count` would be held as one answer.
 */
export function respellRequest(given: JsonObject): JsonObject {
  return respellNames(given, (name) => RESPELLED.has(name));
}

/** Returns an object with its fields, and theirs, in the documented spelling. */
export function respellFields(given: JsonObject): JsonObject {
  return respellNames(given, (name) => !OPAQUE.has(name));
}

/** If both spellings are present, the documented one counts unless it is null. */
function respellNames(given: JsonObject, isRespelled: (name: string) => boolean): JsonObject {
  const fields: JsonObject = {};
  for (const [field, value] of Object.entries(given)) {
    const name = toDocumented(field);
    const isDouble = name !== field ? (given[name] ?? null) !== null : value === null && name in fields;
    if (isDouble) continue;
    const held = isRespelled(name) ? respellValue(value) : value;
    fields[name] = LISTS.has(name) && isObject(held) ? [held] : held;
  }
  return fields;
}

/** Returns a field's documented name. */
export function toDocumented(name: string): string {
  if (!name.includes("_")) return name;
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function respellValue(value: unknown): unknown {
  if (Array.isArray(value)) return mapList<unknown>(value, respellValue);
  return isObject(value) ? keepSame(value, respellFields(value)) : value;
}
