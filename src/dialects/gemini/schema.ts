// Converts a JSON Schema to the known subset of Gemini's `parametersJsonSchema` and `responseJsonSchema`.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";

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
/** References may lead to others, to this depth: each takes a few frames of the stack. Requests can't be nested deeper either. */
const REFERENCES_MAX = 64;
/** JSON Schema has seven types, with short names. Anything longer is none. */
const TYPES_MAX = 7;
const TYPE_CHARACTERS_MAX = 32;
/** The bytes that expansion may add to the schemas' own lengths: more would cost more than the hold covers. */
const WRITTEN_OUT_BYTES_MAX = 50_000;

/** The bytes that may still be added. The schemas of 400 tools would otherwise add 17 MB, which takes two seconds. */
export interface Expansion {
  left: number;
}

export function makeExpansion(): Expansion {
  return { left: WRITTEN_OUT_BYTES_MAX };
}

interface Walk {
  readonly root: JsonObject;
  /** References being expanded, to stop recursion. */
  readonly open: Set<string>;
  readonly nodes: { left: number };
  /** The schema's own length, which expansion takes first. */
  readonly own: { left: number };
  readonly added: Expansion;
}

/**
 * Removes everything that Gemini refuses or doesn't read: references are expanded (a recursive one once, then as "any
 * object"), `const` becomes `enum`, `oneOf` becomes `anyOf`, `allOf` is merged, and unknown keywords are dropped. Schemas
 * of one request share their expansion.
 */
export function cleanSchema(schema: JsonObject, added = makeExpansion()): JsonObject {
  const own = { left: JSON.stringify(schema).length };
  return clean(schema, { root: schema, open: new Set(), nodes: { left: NODES_MAX }, own, added });
}

function clean(given: unknown, walk: Walk): JsonObject {
  walk.nodes.left -= 1;
  if (!isObject(given) || walk.nodes.left < 0) return {};
  const reference = asString(given.$ref);
  if (reference !== undefined) return resolveReference(reference, given, walk);
  const merged = mergeAllOf(given, walk);
  const entries = Object.entries(merged).flatMap(([keyword, value]) => cleanKeyword(keyword, value, walk));
  return Object.fromEntries(entries);
}

function resolveReference(reference: string, given: JsonObject, walk: Walk): JsonObject {
  const { $ref: _reference, ...beside } = given;
  const target = findTarget(reference, walk.root);
  const isTooDeep = walk.open.has(reference) || walk.open.size >= REFERENCES_MAX;
  if (isTooDeep || !takeBytes(target, walk)) return clean({ type: findType(target), ...beside }, walk);
  walk.open.add(reference);
  const expanded = clean(target, walk);
  walk.open.delete(reference);
  return { ...expanded, ...clean(beside, walk) };
}

/** Any other value of `type` would be written out for each reference. */
function findType({ type }: JsonObject): string | readonly unknown[] {
  const isList = Array.isArray(type) && type.length <= TYPES_MAX && type.every(isTypeName);
  return isTypeName(type) || isList ? type : "object";
}

function isTypeName(type: unknown): type is string {
  return typeof type === "string" && type.length <= TYPE_CHARACTERS_MAX;
}

/** True if there is room for the target's bytes. */
function takeBytes(target: JsonObject, { own, added }: Walk): boolean {
  if (own.left + added.left <= 0) return false;
  const length = JSON.stringify(target).length;
  const ownPart = Math.min(own.left, length);
  own.left -= ownPart;
  added.left = Math.max(0, added.left - (length - ownPart));
  return own.left + added.left > 0;
}

/** Follows a pointer within the same document. Any other reference means "anything". */
function findTarget(reference: string, root: JsonObject): JsonObject {
  if (!reference.startsWith("#")) return {};
  let found: unknown = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : asArray(found)[Number(key)];
  }
  return asObject(found);
}

/** Merges the schemas of `allOf`, with the properties and required names of all. */
function mergeAllOf(given: JsonObject, walk: Walk): JsonObject {
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
function cleanKeyword(keyword: string, value: unknown, walk: Walk): [string, unknown][] {
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
