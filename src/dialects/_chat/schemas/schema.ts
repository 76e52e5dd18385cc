// JSON Schemas: an instruction to answer under one, and a walk over its subschemas.
import { isObject, type JsonObject } from "../../../core/json/json.ts";
import type { InstructedFields } from "../outgoing.ts";

/** The form of an answer by a schema that any object fits, for servers without JSON of no schema. */
export const ANY_OBJECT = {
  type: "json_schema",
  json_schema: { name: "answer", schema: { type: "object" } },
} as const;

/** Writes an instruction to answer in JSON, for models without a JSON mode. */
export function writeJsonInstruction(schema?: JsonObject): string {
  if (schema === undefined)
    return "In this answer, write one JSON object and nothing else: no code fence, no comment.";
  return `In this answer, write one JSON value that is valid under this JSON Schema and nothing else, no code fence, no comment:\n${JSON.stringify(schema)}`;
}

/** Asks for JSON in words, in place of `response_format`. */
export function askForJson(schema?: JsonObject): InstructedFields {
  return { fields: {}, instructions: [writeJsonInstruction(schema)], dropped: ["response_format"] };
}

/** Under these keywords the keys are the author's own names. */
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);
/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required"]);

/** Returns a keyword's value with `change` applied to each schema in it. */
export function mapSchemas(
  keyword: string,
  value: unknown,
  change: (schema: JsonObject) => JsonObject,
): unknown {
  const changed = (one: unknown) => (isObject(one) ? change(one) : one);
  if (DATA.has(keyword)) return value;
  if (Array.isArray(value)) return value.map(changed);
  if (!isObject(value) || !NAMED.has(keyword)) return changed(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changed(one)]));
}
