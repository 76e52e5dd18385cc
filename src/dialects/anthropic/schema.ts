// JSON Schema as Anthropic accepts it: the strict subset for constrained output, and plain object schemas for tools.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { inlineRootReference } from "../_chat/schemas/tool-schema.ts";

/** A schema in the strict subset, with its counts against the limits of one request. */
export interface CleanSchema {
  readonly schema: JsonObject;
  readonly optional: number;
  readonly unions: number;
}

/** Limits of constrained output per request (Anthropic, "Structured outputs", complexity limits). */
export const STRICT_TOOLS_MAX = 20;
const OPTIONAL_MAX = 24;
const UNIONS_MAX = 16;

const FORMATS = new Set("date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" "));
const KEPT = new Set(["title", "enum", "const", "default"]);
const SILENT = new Set(["$schema", "$id", "$comment", "examples", "strict"]);

/** Thrown only inside this file, for a schema that the subset can't express. */
class Inexpressible extends Error {}

/**
 * Converts a schema to the strict subset: limits on numbers, lengths and patterns move into the description, objects
 * are closed, `oneOf` becomes `anyOf`. Null if it can't be expressed: free-form maps, tuples, recursion, any value.
 */
export function cleanSchema(schema: JsonObject): CleanSchema | null {
  const count = { optional: 0, unions: 0 };
  try {
    const cleaned = cleanNode(inlineRootReference(schema), count);
    if (isRecursive(asObject(cleaned.$defs))) return null;
    return { schema: cleaned, ...count };
  } catch (error) {
    if (error instanceof Inexpressible) return null;
    throw error;
  }
}

/** True if a request's constrained schemas together stay within its limits. */
export function fitLimits(schemas: readonly CleanSchema[]): boolean {
  const optional = schemas.reduce((sum, one) => sum + one.optional, 0);
  const unions = schemas.reduce((sum, one) => sum + one.unions, 0);
  return optional <= OPTIONAL_MAX && unions <= UNIONS_MAX;
}

type SchemaCount = { optional: number; unions: number };

function cleanNode(given: unknown, count: SchemaCount): JsonObject {
  if (!isObject(given)) throw new Inexpressible();
  const reference = asString(given.$ref);
  if (reference !== undefined) return { $ref: findLocalReference(reference) };
  const { $defs, definitions, description, ...rest } = given;
  const cleaned: JsonObject = {};
  const said: string[] = [];
  for (const [keyword, value] of Object.entries(rest))
    addKeyword(cleaned, said, keyword, value, given, count);
  const variants = ["anyOf", "allOf", "enum", "const"].some((keyword) => keyword in cleaned);
  if (cleaned.type === undefined && !variants) throw new Inexpressible();
  if (listTypes(given.type).includes("object")) closeObject(cleaned, given, count);
  const text = [asString(description) ?? "", said.length > 0 ? `{${said.join(", ")}}` : ""].filter(Boolean);
  if (text.length > 0) cleaned.description = text.join("\n\n");
  const definitionsOf = { ...asObject(definitions), ...asObject($defs) };
  if (Object.keys(definitionsOf).length > 0) cleaned.$defs = mapValues(definitionsOf, count);
  return cleaned;
}

/** Puts a keyword into the schema, changed or not, or into the words of its description. */
function addKeyword(
  cleaned: JsonObject,
  said: string[],
  keyword: string,
  value: unknown,
  given: JsonObject,
  count: SchemaCount,
): void {
  switch (keyword) {
    case "type":
      if (Array.isArray(value)) count.unions += 1;
      cleaned.type = value;
      return;
    case "anyOf":
    case "oneOf":
      count.unions += 1;
      cleaned.anyOf = asArray(value).map((variant) => cleanNode(variant, count));
      return;
    case "allOf":
      cleaned.allOf = asArray(value).map((variant) => cleanNode(variant, count));
      return;
    case "items":
      cleaned.items = cleanNode(value, count);
      return;
    case "properties":
    case "required":
    case "additionalProperties":
      return; // with the object they belong to, in closeObject
    case "prefixItems":
    case "patternProperties":
      throw new Inexpressible();
  }
  const isKept =
    KEPT.has(keyword) ||
    (keyword === "format" && FORMATS.has(asString(value) ?? "")) ||
    (keyword === "minItems" && (value === 0 || value === 1) && given.type === "array");
  if (isKept) cleaned[keyword] = value;
  else if (!SILENT.has(keyword)) said.push(`${keyword}: ${JSON.stringify(value)}`);
}

function closeObject(cleaned: JsonObject, given: JsonObject, count: SchemaCount): void {
  const properties = asObject(given.properties);
  const names = Object.keys(properties);
  const isMap = isObject(given.additionalProperties);
  if (isMap || (names.length === 0 && given.additionalProperties !== false)) throw new Inexpressible();
  const known = new Set(names);
  const required = asArray(given.required).filter((name) => known.has(String(name)));
  count.optional += names.length - required.length;
  cleaned.properties = mapValues(properties, count);
  cleaned.required = required;
  cleaned.additionalProperties = false;
}

function mapValues(schemas: JsonObject, count: SchemaCount): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, cleanNode(schema, count)]),
  );
}

function listTypes(type: unknown): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function findLocalReference(reference: string): string {
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(reference)?.[1];
  if (name === undefined) throw new Inexpressible();
  return `#/$defs/${name}`;
}

/** Longer chains of references count as endless: following them would overflow the stack. */
const REFERENCES_MAX = 64;

/** True if a definition refers back to itself. */
function isRecursive(definitions: JsonObject): boolean {
  const state = new Map<string, "open" | "done">();
  const leadsBack = (name: string, references: number): boolean => {
    if (state.has(name)) return state.get(name) === "open";
    if (references > REFERENCES_MAX) return true;
    state.set(name, "open");
    const found = listReferences(definitions[name]).some((next) => leadsBack(next, references + 1));
    state.set(name, "done");
    return found;
  };
  return Object.keys(definitions).some((name) => leadsBack(name, 0));
}

function listReferences(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listReferences);
  if (!isObject(value)) return [];
  const here = asString(value.$ref);
  if (here !== undefined) return [here.slice("#/$defs/".length)];
  return Object.values(value).flatMap(listReferences);
}
