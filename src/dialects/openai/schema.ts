// Moonshot's flavour of JSON Schema: rewrites what its validator refuses.
import { asArray, isObject, type JsonObject } from "../../core/json/json.ts";
import { mapSchemas } from "../_chat/schemas/schema.ts";

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
  if (keyword !== "items" || (!Array.isArray(value) && typeof value !== "boolean"))
    return mapSchemas(keyword, value, toMoonshotSchema);
  const members = Array.isArray(value) ? mapSchemas(keyword, value, toMoonshotSchema) : [];
  return asArray(members).length === 0 ? {} : { anyOf: members };
}
