// Moonshot's flavour of JSON Schema: rewrites what its validator refuses.
import { asArray, isObject, type JsonObject } from "../../../core/json/json.ts";
import {
  expandReference,
  isReference,
  makeExpansion,
  openReferences,
  type References,
} from "./references.ts";
import { mapSchemas } from "./schema.ts";

/** `$defs` hold nothing that is read once all references are written out. */
const LEFT_OUT: ReadonlySet<string> = new Set(["$schema", "$defs", "definitions"]);
/** Under these a schema needs no type of its own. */
const COMPOSED = ["anyOf", "oneOf", "allOf", "not"];
/** Together they are any value. */
const ANY_TYPE = ["string", "number", "boolean", "object", "array", "null"].map((type) => ({ type }));

/**
 * Returns the schema without `$schema`, with `items` always one object (a tuple becomes `anyOf` its members) and `type`
 * inside the branches of `anyOf` (Moonshot's error messages: "not a valid moonshot flavored json schema"); with references
 * written out, since keywords beside one are refused and kimi-k3 refuses them all (kimi-cli, issue 2061, and opencode, issue
 * 39995, August 2026); and with the type of each enum and property (opencode, issue 40127, August 2026; pi, issue 5822, June
 * 2026). Schemas of one request share their expansion.
 */
export function toMoonshotSchema(schema: JsonObject, added = makeExpansion()): JsonObject {
  return convert(schema, openReferences(schema, added));
}

function convert(given: JsonObject, references: References): JsonObject {
  const convertInner = (inner: JsonObject) => convert(inner, references);
  if (isReference(given)) return placeType(expandReference(given, references, convertInner));
  const kept = Object.entries(given).filter(([keyword]) => !LEFT_OUT.has(keyword));
  return placeType(
    Object.fromEntries(kept.map(([keyword, value]) => [keyword, translate(keyword, value, convertInner)])),
  );
}

function translate(
  keyword: string,
  value: unknown,
  convertInner: (schema: JsonObject) => JsonObject,
): unknown {
  if (keyword === "properties")
    return mapSchemas(keyword, value, (property) => typeProperty(convertInner(property)));
  if (keyword !== "items" || (!Array.isArray(value) && typeof value !== "boolean"))
    return mapSchemas(keyword, value, convertInner);
  const members = Array.isArray(value) ? mapSchemas(keyword, value, convertInner) : [];
  return asArray(members).length === 0 ? {} : { anyOf: members };
}

/** Moves the type of a union into its branches, and adds that of an enum, a constant, an object or a list. */
function placeType(schema: JsonObject): JsonObject {
  const { type, anyOf, ...rest } = schema;
  if (Array.isArray(anyOf)) {
    if (type === undefined) return schema;
    const branches: unknown[] = anyOf;
    const typed = branches.map((branch) =>
      isObject(branch) && branch.type === undefined ? { type, ...branch } : branch,
    );
    return { ...rest, anyOf: typed };
  }
  if (type !== undefined) return schema;
  if (Array.isArray(schema.enum)) return typeEnum(schema, schema.enum);
  if ("const" in schema) return { type: findType(schema.const), ...schema };
  if (isObject(schema.properties)) return { type: "object", ...schema };
  return isObject(schema.items) ? { type: "array", ...schema } : schema;
}

/** Values of several types become a branch for each. */
function typeEnum(schema: JsonObject, values: readonly unknown[]): JsonObject {
  const byType = Map.groupBy(values, findType);
  const [first, ...others] = byType.keys();
  if (first === undefined) return schema;
  if (others.length === 0) return { type: first, ...schema };
  const { enum: _, ...rest } = schema;
  const branches = [...byType].map(([type, own]) => (type === "null" ? { type } : { type, enum: own }));
  return { ...rest, anyOf: branches };
}

function findType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function typeProperty(property: JsonObject): JsonObject {
  const isTyped = property.type !== undefined || COMPOSED.some((keyword) => keyword in property);
  return isTyped ? property : { ...property, anyOf: ANY_TYPE };
}
