// JSON Schemas: an instruction to answer under one, and a walk over its subschemas.
import { isObject, type JsonObject } from "../../core/json.ts";

/** Writes an instruction to answer in JSON, for models without a JSON mode. `schema` is JSON text. */
export function writeJsonInstruction(schema?: string): string {
  if (schema === undefined) return "Answer with one JSON object and nothing else: no code fence, no comment.";
  return `Answer with one JSON value that is valid under this JSON Schema and with nothing else, no code fence, no comment:\n${schema}`;
}

/** Under these keywords the keys are the author's own names. */
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);

/** Returns a keyword's value with `change` applied to each schema in it. */
export function mapSchemas(
  keyword: string,
  value: unknown,
  change: (schema: JsonObject) => JsonObject,
): unknown {
  const changed = (one: unknown) => (isObject(one) ? change(one) : one);
  if (Array.isArray(value)) return value.map(changed);
  if (!isObject(value) || keyword === "default" || keyword === "const") return value;
  if (!NAMED.has(keyword)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changed(one)]));
}
