// Moonshot's flavour of JSON Schema: rewrites what its validator refuses.
import { isObject, type JsonObject } from "../../core/json.ts";

/** Keywords whose value is a map from names to schemas. */
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);
/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required"]);

/**
 * Returns the schema without `$schema`, with `items` always one object (a tuple becomes `anyOf` its members) and `type`
 * inside the branches of `anyOf` (Moonshot's error messages: "not a valid moonshot flavored json schema").
 */
export function toMoonshotSchema(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => keyword !== "$schema");
  const result: JsonObject = Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, translate(keyword, value)]),
  );
  const { type, anyOf } = result;
  if (type === undefined || !Array.isArray(anyOf)) return result;
  const { type: _, ...untyped } = result;
  const branches: unknown[] = anyOf;
  return {
    ...untyped,
    anyOf: branches.map((branch) =>
      isObject(branch) && branch.type === undefined ? { type, ...branch } : branch,
    ),
  };
}

function translate(keyword: string, value: unknown): unknown {
  if (DATA.has(keyword)) return value;
  if (keyword === "items" && (Array.isArray(value) || typeof value === "boolean")) {
    const members: unknown[] = Array.isArray(value) ? value : [];
    return members.length === 0 ? {} : { anyOf: members.map(convertSchema) };
  }
  if (MAPS.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, convertSchema(inner)]));
  }
  return Array.isArray(value) ? value.map(convertSchema) : convertSchema(value);
}

function convertSchema(value: unknown): unknown {
  return isObject(value) ? toMoonshotSchema(value) : value;
}
