// Makes a small value that satisfies a JSON Schema.
import { asArray, asNumber, asObject, asString, type JsonObject } from "../core/json/json.ts";

const DEPTH_MAX = 32;

const FORMATS: ReadonlyMap<string, string> = new Map([
  ["date-time", "2026-01-01T00:00:00Z"],
  ["time", "00:00:00Z"],
  ["date", "2026-01-01"],
  ["duration", "P1D"],
  ["email", "a@example.com"],
  ["hostname", "example.com"],
  ["uri", "https://example.com/"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
]);

/** Resolves `#/$defs/Name`; an unknown reference allows any value. */
function resolveReference(reference: string, root: JsonObject): JsonObject {
  let found: unknown = root;
  for (const step of reference.replace(/^#\/?/, "").split("/")) {
    if (step !== "") found = asObject(found)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return asObject(found);
}

export function findType(schema: JsonObject): string {
  const { type } = schema;
  const named = Array.isArray(type) ? (type.find((each) => each !== "null") ?? "null") : type;
  if (typeof named === "string") return named.toLowerCase();
  if (schema.properties || schema.required) return "object";
  return schema.items ? "array" : "string";
}

function makeSampleText(schema: JsonObject): string {
  const format = FORMATS.get(asString(schema.format) ?? "");
  if (format !== undefined) return format;
  const least = asNumber(schema.minLength) ?? 0;
  const most = asNumber(schema.maxLength) ?? Infinity;
  return "sample".padEnd(least, "x").slice(0, Math.max(least, Math.min(most, Math.max(6, least))));
}

function makeSampleNumber(schema: JsonObject, whole: boolean): number {
  const step = asNumber(schema.multipleOf) ?? (whole ? 1 : 0);
  const above = asNumber(schema.exclusiveMinimum);
  const least = asNumber(schema.minimum) ?? (above === undefined ? undefined : above + (step || 0.5));
  const most = asNumber(schema.maximum) ?? asNumber(schema.exclusiveMaximum);
  const from = least ?? (most !== undefined && most <= 0 ? most - (step || 1) : 0);
  return step === 0 ? from : Math.ceil(from / step) * step;
}

/** Returns a small value that satisfies the schema, except for `pattern`: required properties, fewest items, first choices. */
export function makeSample(schema: JsonObject, root: JsonObject = schema, depth = 0): unknown {
  if (depth > DEPTH_MAX) return null;
  const deeper = (each: unknown) => makeSample(asObject(each), root, depth + 1);
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  const reference = asString(schema.$ref);
  if (reference !== undefined) return deeper(resolveReference(reference, root));
  const choice = asArray(schema.anyOf)[0] ?? asArray(schema.oneOf)[0];
  if (choice !== undefined) return deeper(choice);
  const parts = asArray(schema.allOf);
  if (parts.length > 0) return Object.assign({}, ...parts.map(deeper));
  switch (findType(schema)) {
    case "object": {
      const properties = asObject(schema.properties);
      const required = asArray(schema.required).map(String);
      return Object.fromEntries(required.map((name) => [name, deeper(properties[name])]));
    }
    case "array":
      return Array.from({ length: asNumber(schema.minItems) ?? 0 }, () => deeper(schema.items));
    case "integer":
      return makeSampleNumber(schema, true);
    case "number":
      return makeSampleNumber(schema, false);
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return makeSampleText(schema);
  }
}
