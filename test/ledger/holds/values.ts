// Values for the optional fields of a request, from the bounds of its schema.
import type { TSchema } from "@sinclair/typebox";
import { asArray, asObject, isObject, type JsonObject } from "../../../src/core/json/json.ts";

/** Long enough to change any estimate that counts it. */
const TEXT = "a text 1,000 ".repeat(40);
const NUMBER_MAX = 100_000;

/** Returns values of the schema at its bounds, and every value of an enum. */
export function listValues(schema: TSchema): readonly unknown[] {
  const given: JsonObject = { ...schema };
  if (Array.isArray(given.enum)) return given.enum;
  if (given.const !== undefined) return [given.const];
  if (Array.isArray(given.anyOf)) return given.anyOf.flatMap((one) => listValues(one));
  switch (given.type) {
    case "boolean":
      return [true, false];
    case "integer":
    case "number":
      return [given.minimum ?? 0, Math.min(Number(given.maximum ?? NUMBER_MAX), NUMBER_MAX)];
    case "string":
      return [TEXT.slice(0, Number(given.maxLength ?? TEXT.length))];
    case "array": {
      const most = Math.min(Number(given.maxItems ?? 3), 3);
      return listItems(given.items).map((item) => Array.from({ length: most }, () => item));
    }
    case "object":
      return [makeObject(given, false), makeObject(given, true)];
    default:
      return [];
  }
}

function isSchema(value: unknown): value is TSchema {
  return isObject(value);
}

function listItems(items: unknown): readonly unknown[] {
  return isSchema(items) ? listValues(items) : [];
}

/** Makes an object with its required fields, or with all of them. Unknown fields are allowed and hold text. */
function makeObject(schema: JsonObject, isWhole: boolean): JsonObject {
  const required = asArray(schema.required);
  const made: JsonObject = {};
  for (const [name, field] of Object.entries(asObject(schema.properties))) {
    if (isWhole || required.includes(name)) made[name] = listItems(field)[0];
  }
  if (isWhole && schema.additionalProperties === true) made.extra = TEXT;
  return made;
}

/** Yields each optional field of a schema with each of its values. */
export function* eachOptional(schema: TSchema): Generator<readonly [field: string, value: unknown]> {
  const required = asArray(schema.required);
  for (const [field, one] of Object.entries(asObject(schema.properties))) {
    if (!required.includes(field)) for (const value of listItems(one)) yield [field, value];
  }
}
