// Google's own form of a schema, a subset of OpenAPI's, as JSON Schema.
import { isObject, type JsonObject } from "../../core/json/json.ts";

/** Under these keywords the keys are the author's own names. */
const NAMED: ReadonlySet<string> = new Set(["properties", "defs", "$defs", "definitions"]);
/** Keywords that hold a schema, or a list of them. All others hold data. */
const NESTED: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "anyOf",
  "oneOf",
  "allOf",
  "additionalProperties",
]);
/** Google's SDKs write 64-bit integers as texts. */
const NUMBERS: ReadonlySet<string> = new Set([
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "minimum",
  "maximum",
]);
/** Keywords that may hold null as data. Google's clients write it at all others for a keyword that isn't there. */
const DATA: ReadonlySet<string> = new Set(["default", "example", "const"]);
const NULL: JsonObject = { type: "null" };

/** Converts a schema and all within it. Returns anything else unchanged. */
export function toJsonSchema(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(toJsonSchema);
  if (!isObject(given)) return given;
  const schema: JsonObject = {};
  for (const field in given) {
    if (field === "nullable" || field === "__proto__") continue;
    if (given[field] === null && !DATA.has(field)) continue;
    const value = convert(field, given[field], given);
    if (value !== undefined) schema[field] = value;
  }
  return given.nullable === true ? allowNull(schema) : schema;
}

/** Returns undefined for a word that says nothing in JSON Schema. */
function convert(field: string, value: unknown, { type }: JsonObject): unknown {
  if (field === "type" && typeof value === "string") return readType(value);
  if (field === "format") return value === "enum" ? undefined : value;
  if (field === "enum" && Array.isArray(value) && isNumeric(type)) return value.map(toNumber);
  if (NUMBERS.has(field)) return toNumber(value);
  if (NESTED.has(field)) return toJsonSchema(value);
  if (!NAMED.has(field) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toJsonSchema(one)]));
}

/** Google spells types in capitals. */
function readType(type: string): string | undefined {
  return type === "TYPE_UNSPECIFIED" ? undefined : type.toLowerCase();
}

function isNumeric(type: unknown): boolean {
  return typeof type === "string" && /^(integer|number)$/i.test(type);
}

function toNumber(value: unknown): unknown {
  if (typeof value !== "string" || value.trim() === "") return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** JSON Schema has no `nullable`: null is one of the types, choices and values. */
function allowNull(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema;
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  return {
    ...schema,
    ...(types.length > 0 ? { type: types.includes("null") ? types : [...types, "null"] } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: [...anyOf, NULL] } : {}),
    ...(Array.isArray(values) ? { enum: values.includes(null) ? values : [...values, null] } : {}),
  };
}
