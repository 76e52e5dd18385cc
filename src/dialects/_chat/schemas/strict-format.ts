// The schema of an answer that the client's API guarantees: OpenAI's servers enforce one only if it is strict.
import { asArray, asObject, type JsonObject } from "../../../core/json/json.ts";
import type { ChatRequest } from "../../../operations/chat/form.ts";
import { type ChangedAsk, NONE } from "../../../operations/form.ts";
import { meetsRules } from "./strict-tools.ts";

/** Named if the answer's schema is advice. */
const ADVISED = ["response_format"];

/**
 * Makes the format of an answer strict if the client's API guarantees its schema and the schema meets OpenAI's rules, and
 * names the format otherwise. `enforces` is false for servers without strict formats.
 */
export function tightenFormat(request: ChatRequest, enforces: boolean): ChangedAsk<ChatRequest> {
  const { response_format: format } = request;
  if (format?.type !== "json_schema" || format.is_guaranteed !== true) return { ask: request, dropped: NONE };
  const { is_guaranteed: _, ...plain } = format;
  const { schema } = plain.json_schema;
  const isStrict = enforces && schema !== undefined && meetsRules(schema) && meetsLimits(schema);
  const json_schema = isStrict ? { ...plain.json_schema, strict: true } : plain.json_schema;
  const ask = { ...request, response_format: { ...plain, json_schema } };
  return { ask, dropped: isStrict ? NONE : ADVISED };
}

/** OpenAI, "Structured outputs", limits on nesting, properties and enum values; a schema beyond them is refused with a 400. */
const DEPTH_MAX = 10;
const PROPERTIES_MAX = 5000;
const VALUES_MAX = 1000;

function meetsLimits(schema: JsonObject): boolean {
  const counts = { properties: 0, values: 0 };
  return isWithin(schema, 0, counts) && counts.properties <= PROPERTIES_MAX && counts.values <= VALUES_MAX;
}

function isWithin(value: unknown, depth: number, counts: { properties: number; values: number }): boolean {
  if (depth > DEPTH_MAX) return false;
  return Object.entries(asObject(value)).every(([keyword, inner]) => {
    switch (keyword) {
      case "properties":
        counts.properties += Object.keys(asObject(inner)).length;
        return Object.values(asObject(inner)).every((one) => isWithin(one, depth + 1, counts));
      case "$defs":
      case "definitions":
        return Object.values(asObject(inner)).every((one) => isWithin(one, depth, counts));
      case "anyOf":
        return asArray(inner).every((one) => isWithin(one, depth, counts));
      case "items":
        return isWithin(inner, depth + 1, counts);
      case "enum":
        counts.values += asArray(inner).length;
        return true;
      default:
        return true;
    }
  });
}
