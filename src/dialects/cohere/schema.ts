// JSON Schemas brought down to the part that Cohere's structured outputs take (Cohere, "Unsupported schema features").
import { isObject, type JsonObject } from "../../core/json.ts";

const REFUSED: ReadonlySet<string> = new Set([
  "$schema",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minLength",
  "maxLength",
  "pattern",
  "additionalProperties",
]);
const FORMATS: ReadonlySet<unknown> = new Set(["date-time", "uuid", "date", "time"]);

/** The schema without the keywords that are refused: it allows more, but names and types stay the same. */
export function inlineReferences(schema: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (REFUSED.has(keyword) || (keyword === "format" && !FORMATS.has(value))) continue;
    kept[keyword === "oneOf" ? "anyOf" : keyword] = inner(keyword, value);
  }
  return kept;
}

/** Under these the keys are the author's own names, not keywords. */
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);

function inner(keyword: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => (isObject(one) ? inlineReferences(one) : one));
  if (!isObject(value) || keyword === "default" || keyword === "const") return value;
  if (!NAMED.has(keyword)) return inlineReferences(value);
  const schemas = Object.entries(value).map(([name, one]) => [
    name,
    isObject(one) ? inlineReferences(one) : one,
  ]);
  return Object.fromEntries(schemas);
}
