// Converts a JSON Schema to the known subset of Gemini's `parametersJsonSchema` and `responseJsonSchema`.
import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import {
  expandReference,
  isReference,
  makeExpansion,
  openReferences,
  type References,
} from "../_chat/schemas/references.ts";

/** Keywords that reach the model (Gemini API reference, `responseJsonSchema`, and the fields of its `Schema`). */
const KEPT: ReadonlySet<string> = new Set([
  "type",
  "format",
  "title",
  "description",
  "default",
  "nullable",
  "enum",
  "items",
  "prefixItems",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "anyOf",
  "properties",
  "additionalProperties",
  "required",
  "minProperties",
  "maxProperties",
  "propertyOrdering",
]);
/** Other string formats are refused: "only 'enum' and 'date-time' are supported". */
const FORMATS: ReadonlySet<string> = new Set([
  "date-time",
  "date",
  "time",
  "int32",
  "int64",
  "float",
  "double",
]);
/** References are expanded, and nested ones grow without bound. Beyond this many nodes a schema means "anything". */
const NODES_MAX = 20_000;
interface SchemaWalk {
  readonly references: References;
  readonly nodes: { left: number };
}

/**
 * Removes everything that Gemini refuses or doesn't read: references are expanded (a recursive one once, then as "any
 * object"), `const` becomes `enum`, `oneOf` becomes `anyOf`, `allOf` is merged, and unknown keywords are dropped. Schemas
 * of one request share their expansion.
 */
export function cleanSchema(schema: JsonObject, added = makeExpansion()): JsonObject {
  return clean(schema, { references: openReferences(schema, added), nodes: { left: NODES_MAX } });
}

function clean(given: unknown, walk: SchemaWalk): JsonObject {
  walk.nodes.left -= 1;
  if (!isObject(given) || walk.nodes.left < 0) return {};
  if (isReference(given)) return expandReference(given, walk.references, (schema) => clean(schema, walk));
  const merged = mergeAllOf(given, walk);
  const entries = Object.entries(merged).flatMap(([keyword, value]) => cleanKeyword(keyword, value, walk));
  return Object.fromEntries(entries);
}

/** Merges the schemas of `allOf`, with the properties and required names of all. */
function mergeAllOf(given: JsonObject, walk: SchemaWalk): JsonObject {
  if (!Array.isArray(given.allOf)) return given;
  const { allOf, ...own } = given;
  const sum: JsonObject = {};
  const properties = new Map<string, unknown>();
  const required = new Set<unknown>();
  for (const next of [...asArray(allOf).map((part) => clean(part, walk)), own]) {
    Object.assign(sum, next);
    for (const [name, property] of Object.entries(asObject(next.properties))) properties.set(name, property);
    for (const name of asArray(next.required)) required.add(name);
  }
  if (properties.size > 0) sum.properties = Object.fromEntries(properties);
  if (required.size > 0) sum.required = [...required];
  return sum;
}

/** Converts one keyword: unchanged, replaced, or dropped. */
function cleanKeyword(keyword: string, value: unknown, walk: SchemaWalk): [string, unknown][] {
  switch (keyword) {
    case "const":
      return cleanConst(value);
    case "oneOf":
    case "anyOf":
      return [["anyOf", asArray(value).map((each) => clean(each, walk))]];
    case "prefixItems":
      return [[keyword, asArray(value).map((each) => clean(each, walk))]];
    case "items":
      return Array.isArray(value) ? [] : [[keyword, clean(value, walk)]];
    case "additionalProperties":
      return [[keyword, isObject(value) ? clean(value, walk) : value]];
    case "properties": {
      const entries = Object.entries(asObject(value)).map(([name, each]) => [name, clean(each, walk)]);
      return [[keyword, Object.fromEntries(entries)]];
    }
    case "format":
      return FORMATS.has(String(value)) ? [[keyword, value]] : [];
    default:
      return KEPT.has(keyword) ? [[keyword, value]] : [];
  }
}

/** `enum` accepts only strings and numbers. */
function cleanConst(value: unknown): [string, unknown][] {
  if (typeof value === "string" || typeof value === "number") return [["enum", [value]]];
  if (value === null) return [["type", "null"]];
  return typeof value === "boolean" ? [["type", "boolean"]] : [];
}
