// Converts our JSON Schemas to OpenAPI 3.0's own dialect, without the type `null` and pattern properties.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";

/** Returns an equivalent OpenAPI 3.0.3 schema, without our own keywords. */
export function toOpenApi(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOpenApi);
  if (!isObject(schema)) return schema;
  const { anyOf, patternProperties, exclusiveMinimum, expected, "~standard": __, ...rest } = schema;
  const shown: JsonObject = {};
  for (const [keyword, value] of Object.entries(rest)) shown[keyword] = toOpenApi(value);
  if (expected !== undefined) shown.description ??= `Takes ${expected}.`;
  if (exclusiveMinimum !== undefined)
    Object.assign(shown, { minimum: exclusiveMinimum, exclusiveMinimum: true });
  // For a record, all fields share one schema.
  const [each] = Object.values(asObject(patternProperties));
  if (each !== undefined) shown.additionalProperties = toOpenApi(each);
  return Array.isArray(anyOf) ? union(anyOf, shown) : shown;
}

function union(alternatives: readonly unknown[], beside: JsonObject): JsonObject {
  const shown = alternatives
    .filter((one) => asObject(one).type !== "null")
    .map(toOpenApi)
    .filter(isObject);
  const [only] = shown;
  const made = only && shown.length === 1 ? { ...only, ...beside } : { ...beside, anyOf: shown };
  return shown.length < alternatives.length ? orNull(made) : made;
}

/** `nullable` needs `type` beside it, and an `enum` has to list null as well (OpenAPI 3.0.3, "Schema Object"). */
function orNull(schema: JsonObject): JsonObject {
  const [first, ...others] = asArray(schema.anyOf);
  if (isObject(first)) return { ...schema, anyOf: [orNull(first), ...others] };
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, ...values, nullable: true };
}

/** Lets a request's optional fields be null, which means the same as leaving them out. */
export function withOptionalNulls(schema: JsonObject): JsonObject {
  const required = new Set(asArray(schema.required).map(asString));
  const properties: JsonObject = {};
  for (const [name, property] of Object.entries(asObject(schema.properties))) {
    properties[name] = required.has(name) ? property : { anyOf: [property, { type: "null" }] };
  }
  return { ...schema, properties };
}
