// Validates schemas against each provider's subset of JSON Schema.
import { asArray, asNumber, asObject, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { type Path, reject } from "../../src/simulator/problem.ts";
import { findType } from "../../src/simulator/sample.ts";

/** Keywords whose value is a schema, a list of schemas or schemas by name. */
const NESTED = ["items", "not", "additionalProperties", "anyOf", "oneOf", "allOf"] as const;
const NAMED = ["properties", "$defs", "definitions"] as const;

/** Visits the schema and every schema in it. */
export function visitSchemas(
  schema: unknown,
  path: Path,
  visit: (schema: JsonObject, path: Path) => void,
): void {
  if (!isObject(schema)) return;
  visit(schema, path);
  for (const keyword of NESTED) {
    const inner = schema[keyword];
    if (!Array.isArray(inner)) visitSchemas(inner, [...path, keyword], visit);
    else for (const [at, each] of inner.entries()) visitSchemas(each, [...path, keyword, at], visit);
  }
  for (const keyword of NAMED) {
    for (const [name, inner] of Object.entries(asObject(schema[keyword]))) {
      visitSchemas(inner, [...path, keyword, name], visit);
    }
  }
}

/** Returns the first violation of OpenAI's strict mode ("Structured outputs": every object closed, every property required), or null. */
export function findStrictFlaw(schema: unknown): string | null {
  let flaw: string | null = null;
  visitSchemas(schema, [], (each, path) => {
    const at = `In context=(${path.map((step) => `'${step}'`).join(", ")})`;
    const names = Object.keys(asObject(each.properties));
    const required = new Set(asArray(each.required));
    const missing = names.find((name) => !required.has(name));
    if (findType(each) === "object" && each.additionalProperties !== false && !each.$ref)
      flaw ??= `${at}, 'additionalProperties' is required to be supplied and to be false.`;
    if (missing !== undefined)
      flaw ??= `${at}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    for (const keyword of ["allOf", "propertyNames"])
      if (keyword in each) flaw ??= `${at}, '${keyword}' is not permitted.`;
  });
  return flaw;
}

/** Returns the flaw of a tool's schema that servers refuse without `strict` too (LiteLLM, issue 38839, August 2026), or null. */
export function findUnionFlaw(schema: unknown): string | null {
  const given = asObject(schema);
  const isPlain = !["anyOf", "oneOf", "allOf", "enum", "not"].some((keyword) => keyword in given);
  if (isPlain) return null;
  return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
}

const GEMINI_KEYWORDS: ReadonlySet<string> = new Set(
  (
    "type format title description nullable enum items properties required minItems maxItems minimum maximum " +
    "minLength maxLength minProperties maxProperties pattern anyOf propertyOrdering example default"
  ).split(" "),
);

/** Validates Gemini's `Schema` object ("Gemini API: Schema"): a subset of OpenAPI 3.0 in which an unknown keyword is an unknown field. */
export function checkGeminiSchema(schema: unknown, path: Path): void {
  visitSchemas(schema, path, (each, at) => {
    for (const keyword of Object.keys(each))
      if (!GEMINI_KEYWORDS.has(keyword)) reject("unknown", "Unknown field.", [...at, keyword]);
    if (Array.isArray(each.type))
      reject("type", "Proto field is not repeating, cannot start list.", [...at, "type"]);
    if (asArray(each.enum).some((value) => typeof value !== "string"))
      reject("type", "Invalid value (TYPE_STRING) of an enum.", [...at, "enum"]);
    const properties = asObject(each.properties);
    const unknown = asArray(each.required).findIndex((name) => !Object.hasOwn(properties, String(name)));
    if (unknown >= 0) reject("value", "property is not defined", [...at, "required", unknown]);
  });
}

const ANTHROPIC_REFUSES =
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems oneOf";

/** Validates schemas of Anthropic's structured outputs ("JSON Schema limitations"): closed objects, no limits on values. */
export function checkAnthropicSchema(schema: unknown, path: Path): void {
  const where = path.join(".");
  visitSchemas(schema, path, (each) => {
    if (findType(each) === "object" && each.additionalProperties !== false && !each.$ref && !each.anyOf)
      reject(
        "value",
        `${where}: For 'object' type, 'additionalProperties' must be explicitly set to false`,
        path,
      );
    const refused = ANTHROPIC_REFUSES.split(" ").find((keyword) => keyword in each);
    if (refused !== undefined)
      reject("value", `${where}: For '${findType(each)}' type, property '${refused}' is not supported`, path);
    if (asNumber(each.minItems) !== undefined && Number(each.minItems) > 1)
      reject(
        "value",
        `${where}: For 'array' type, 'minItems' values other than 0 or 1 are not supported`,
        path,
      );
  });
}
