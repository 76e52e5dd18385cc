// Checks a value against a JSON Schema, as far as providers accept one: unknown parts of a schema are ignored.
import { asArray, asNumber, asObject, isObject, type JsonObject } from "../../core/json/json.ts";

/**
 * Beyond this many steps the answer counts as valid. A schema and its answer come from a client and a model, so
 * together they could be arbitrarily long.
 */
const STEPS_MAX = 50_000;
const DEPTH_MAX = 64;
const CHARACTERS_PER_STEP = 64;
const REFERENCE_CHARACTERS_MAX = 1000;

export function matchesSchema(value: unknown, schema: unknown): boolean {
  return new SchemaCheck(asObject(schema)).fits(value, schema, 0);
}

class SchemaCheck {
  readonly #root: JsonObject;
  #steps = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  fits(value: unknown, schema: unknown, depth: number): boolean {
    if (schema === false) return false;
    if (!isObject(schema) || depth > DEPTH_MAX) return true;
    this.#steps += countSteps(value, schema);
    if (this.#steps > STEPS_MAX) return true;
    const deeper = (one: unknown) => this.fits(value, one, depth + 1);
    if (typeof schema.$ref === "string" && !deeper(this.#found(schema.$ref))) return false;
    if (!isOfType(value, schema.type) || !isListed(value, schema)) return false;
    if (!asArray(schema.allOf).every(deeper)) return false;
    if (!hasAny(schema.anyOf, deeper) || !hasAny(schema.oneOf, deeper)) return false;
    if (typeof value === "string" || typeof value === "number") return isWithin(value, schema);
    if (Array.isArray(value)) return this.#isList(value, schema, depth);
    return !isObject(value) || this.#isMapping(value, schema, depth);
  }

  #isList(value: readonly unknown[], schema: JsonObject, depth: number): boolean {
    if (!isBetween(value.length, schema.minItems, schema.maxItems)) return false;
    const first = asArray(schema.prefixItems);
    return value.every((one, at) => this.fits(one, first[at] ?? schema.items, depth + 1));
  }

  #isMapping(value: JsonObject, schema: JsonObject, depth: number): boolean {
    for (const name of asArray(schema.required))
      if (typeof name === "string" && !Object.hasOwn(value, name)) return false;
    const properties = asObject(schema.properties);
    const patterns = isObject(schema.patternProperties);
    return Object.entries(value).every(([name, one]) => {
      if (Object.hasOwn(properties, name)) return this.fits(one, properties[name], depth + 1);
      return patterns || this.fits(one, schema.additionalProperties, depth + 1);
    });
  }

  /** Resolves `#` and `#/$defs/name`. Other references are ignored. */
  #found(reference: string): unknown {
    if (!reference.startsWith("#") || reference.length > REFERENCE_CHARACTERS_MAX) return undefined;
    let found: unknown = this.#root;
    for (const part of reference.split("/").slice(1))
      found = asObject(found)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
    return found;
  }
}

function hasAny(choices: unknown, fits: (choice: unknown) => boolean): boolean {
  return !Array.isArray(choices) || choices.some(fits);
}

/** The work of checking a value against a schema, without its parts. */
function countSteps(value: unknown, { enum: listed, required, minLength, maxLength }: JsonObject): number {
  const isMeasured = typeof value === "string" && (minLength ?? maxLength) !== undefined;
  const lists = asArray(listed).length + asArray(required).length;
  return 1 + lists + (isMeasured ? value.length / CHARACTERS_PER_STEP : 0);
}

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ["null", (value: unknown) => value === null],
  ["array", (value: unknown) => Array.isArray(value)],
  ["object", isObject],
  ["integer", Number.isInteger],
  ...["string", "number", "boolean"].map(
    (type) => [type, (value: unknown) => typeof value === type] as const,
  ),
]);

/** Unknown types allow every value. */
function isOfType(value: unknown, type: unknown): boolean {
  const types = Array.isArray(type) ? type : [type];
  return types.some((one) => TYPES.get(one)?.(value) ?? true);
}

/** Lists and mappings always pass: they would be compared by text, where the order of fields has no meaning. */
function isListed(value: unknown, schema: JsonObject): boolean {
  if (typeof value === "object" && value !== null) return true;
  if (schema.const !== undefined && schema.const !== value) return false;
  return !Array.isArray(schema.enum) || schema.enum.includes(value);
}

function isWithin(value: string | number, schema: JsonObject): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength } = schema;
  if (typeof value === "string")
    return (minLength ?? maxLength) === undefined || isBetween([...value].length, minLength, maxLength);
  const isBeyond = value > asLimit(exclusiveMinimum, -1) && value < asLimit(exclusiveMaximum, 1);
  return isBeyond && isBetween(value, minimum, maximum);
}

function isBetween(size: number, least: unknown, most: unknown): boolean {
  return size >= asLimit(least, -1) && size <= asLimit(most, 1);
}

/** A missing limit is infinite, with this sign. */
function asLimit(limit: unknown, sign: number): number {
  return asNumber(limit) ?? sign * Number.POSITIVE_INFINITY;
}
