// The configuration's schema as it is published: JSON Schema, for editors.
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../core/json/json.ts";
import { describeFields } from "./fields.ts";
import { ConfigSchema } from "./schema.ts";

/** Keywords for our own errors, which aren't part of JSON Schema. */
const NOTES: ReadonlySet<string> = new Set(["expected", "expectedName", "others"]);

/** Returns the schema as JSON Schema, for editors and `GET /config.schema.json`. */
export function configJsonSchema(): object {
  const schema: TSchema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Poundkey",
    ...ConfigSchema,
  };
  const text = JSON.stringify(schema, (key, value) => (NOTES.has(key) ? undefined : value));
  return describeFields(JSON.parse(text, allowReference));
}

const REFERENCE = { type: "string", pattern: "\\$\\{" };
const SCALARS: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/** A text with `${NAME}` may stand for any scalar, since only the program knows its value. */
function allowReference(_key: string, schema: unknown): unknown {
  const types = isObject(schema) ? [schema.type].flat() : [];
  const isScalar = types.length > 0 && types.every((type) => SCALARS.has(type));
  return isScalar ? { anyOf: [schema, REFERENCE] } : schema;
}
