// JSON Schema as providers see it: a smallest value that satisfies one, and what each provider's subset refuses.
import { arrayOf, isObject, type JsonObject, numberOf, objectOf, stringOf } from "../core/json.ts";
import { type Path, reject } from "./strict.ts";

const DEPTH_MAX = 32;

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-01T00:00:00Z",
  time: "00:00:00Z",
  date: "2026-01-01",
  duration: "P1D",
  email: "a@example.com",
  hostname: "example.com",
  uri: "https://example.com/",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** Follows `#/$defs/Name`; an unknown reference is any value. */
function target(reference: string, root: JsonObject): JsonObject {
  let found: unknown = root;
  for (const step of reference.replace(/^#\/?/, "").split("/")) {
    if (step !== "") found = objectOf(found)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return objectOf(found);
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  const named = Array.isArray(type) ? (type.find((each) => each !== "null") ?? "null") : type;
  if (typeof named === "string") return named.toLowerCase();
  if (schema.properties || schema.required) return "object";
  return schema.items ? "array" : "string";
}

function sampleText(schema: JsonObject): string {
  const format = FORMATS[stringOf(schema.format) ?? ""];
  if (format !== undefined) return format;
  const least = numberOf(schema.minLength) ?? 0;
  const most = numberOf(schema.maxLength) ?? Infinity;
  return "sample".padEnd(least, "x").slice(0, Math.max(least, Math.min(most, Math.max(6, least))));
}

function sampleNumber(schema: JsonObject, whole: boolean): number {
  const step = numberOf(schema.multipleOf) ?? (whole ? 1 : 0);
  const above = numberOf(schema.exclusiveMinimum);
  const least = numberOf(schema.minimum) ?? (above === undefined ? undefined : above + (step || 0.5));
  const most = numberOf(schema.maximum) ?? numberOf(schema.exclusiveMaximum);
  const from = least ?? (most !== undefined && most <= 0 ? most - (step || 1) : 0);
  return step === 0 ? from : Math.ceil(from / step) * step;
}

/** A small value that satisfies the schema (`pattern` excepted): required properties only, least items, first choices. */
export function sampleOf(schema: JsonObject, root: JsonObject = schema, depth = 0): unknown {
  if (depth > DEPTH_MAX) return null;
  const deeper = (each: unknown) => sampleOf(objectOf(each), root, depth + 1);
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  const reference = stringOf(schema.$ref);
  if (reference !== undefined) return deeper(target(reference, root));
  const choice = arrayOf(schema.anyOf)[0] ?? arrayOf(schema.oneOf)[0];
  if (choice !== undefined) return deeper(choice);
  const parts = arrayOf(schema.allOf);
  if (parts.length > 0) return Object.assign({}, ...parts.map(deeper));
  switch (typeOf(schema)) {
    case "object": {
      const properties = objectOf(schema.properties);
      const required = arrayOf(schema.required).map(String);
      return Object.fromEntries(required.map((name) => [name, deeper(properties[name])]));
    }
    case "array":
      return Array.from({ length: numberOf(schema.minItems) ?? 0 }, () => deeper(schema.items));
    case "integer":
      return sampleNumber(schema, true);
    case "number":
      return sampleNumber(schema, false);
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return sampleText(schema);
  }
}

/** Keywords whose value is a schema, a list of schemas or schemas by name. */
const NESTED = ["items", "not", "additionalProperties", "anyOf", "oneOf", "allOf"] as const;
const NAMED = ["properties", "$defs", "definitions"] as const;

/** Visits the schema and every schema in it. */
export function eachSchema(
  schema: unknown,
  path: Path,
  visit: (schema: JsonObject, path: Path) => void,
): void {
  if (!isObject(schema)) return;
  visit(schema, path);
  for (const keyword of NESTED) {
    const inner = schema[keyword];
    if (!Array.isArray(inner)) eachSchema(inner, [...path, keyword], visit);
    else for (const [at, each] of inner.entries()) eachSchema(each, [...path, keyword, at], visit);
  }
  for (const keyword of NAMED) {
    for (const [name, inner] of Object.entries(objectOf(schema[keyword]))) {
      eachSchema(inner, [...path, keyword, name], visit);
    }
  }
}

/** OpenAI's strict mode ("Structured outputs": every object closed, every property required). Gives what is wrong, or null. */
export function strictFlaw(schema: unknown): string | null {
  let flaw: string | null = null;
  eachSchema(schema, [], (each, path) => {
    const at = `In context=(${path.map((step) => `'${step}'`).join(", ")})`;
    const names = Object.keys(objectOf(each.properties));
    const required = new Set(arrayOf(each.required));
    const missing = names.find((name) => !required.has(name));
    if (typeOf(each) === "object" && each.additionalProperties !== false && !each.$ref)
      flaw ??= `${at}, 'additionalProperties' is required to be supplied and to be false.`;
    if (missing !== undefined)
      flaw ??= `${at}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    for (const keyword of ["allOf", "propertyNames"])
      if (keyword in each) flaw ??= `${at}, '${keyword}' is not permitted.`;
  });
  return flaw;
}

const GEMINI_KEYWORDS: ReadonlySet<string> = new Set(
  (
    "type format title description nullable enum items properties required minItems maxItems minimum maximum " +
    "minLength maxLength minProperties maxProperties pattern anyOf propertyOrdering example default"
  ).split(" "),
);

/** Gemini's `Schema` object ("Gemini API: Schema"): an OpenAPI 3.0 subset, unknown keywords are unknown fields. */
export function checkGeminiSchema(schema: unknown, path: Path): void {
  eachSchema(schema, path, (each, at) => {
    for (const keyword of Object.keys(each))
      if (!GEMINI_KEYWORDS.has(keyword)) reject("unknown", "Unknown field.", [...at, keyword]);
    if (Array.isArray(each.type))
      reject("type", "Proto field is not repeating, cannot start list.", [...at, "type"]);
    if (arrayOf(each.enum).some((value) => typeof value !== "string"))
      reject("type", "Invalid value (TYPE_STRING) of an enum.", [...at, "enum"]);
    const properties = objectOf(each.properties);
    const unknown = arrayOf(each.required).find((name) => !Object.hasOwn(properties, String(name)));
    if (unknown !== undefined)
      reject("value", `required: property '${String(unknown)}' is not defined`, [...at, "required"]);
  });
}

const ANTHROPIC_REFUSES =
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems oneOf";

/** Anthropic's structured outputs ("Structured outputs: JSON Schema limitations"): closed objects, no limits on values. */
export function checkAnthropicSchema(schema: unknown, path: Path): void {
  const where = path.join(".");
  eachSchema(schema, path, (each) => {
    if (typeOf(each) === "object" && each.additionalProperties !== false && !each.$ref && !each.anyOf)
      reject(
        "value",
        `${where}: For 'object' type, 'additionalProperties' must be explicitly set to false`,
        path,
      );
    const refused = ANTHROPIC_REFUSES.split(" ").find((keyword) => keyword in each);
    if (refused !== undefined)
      reject("value", `${where}: For '${typeOf(each)}' type, property '${refused}' is not supported`, path);
    if (numberOf(each.minItems) !== undefined && Number(each.minItems) > 1)
      reject(
        "value",
        `${where}: For 'array' type, 'minItems' values other than 0 or 1 are not supported`,
        path,
      );
  });
}
