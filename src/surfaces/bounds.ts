// Building blocks of the surfaces' schemas: open objects, enums, counts, and a bound on an object's size.
import {
  Kind,
  type ObjectOptions,
  type TInteger,
  type TObject,
  type TProperties,
  type TUnsafe,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";
import { Fault } from "../core/faults/fault.ts";
import { isObject } from "../core/json/json.ts";

const STRING_ENUM = "StringEnum";
TypeRegistry.Set<{ readonly enum: readonly unknown[] }>(STRING_ENUM, (schema, value) =>
  schema.enum.includes(value),
);

/** Returns the schema of an object with these fields and any others. */
export function openObject<Fields extends TProperties>(
  fields: Fields,
  options: ObjectOptions = {},
): TObject<Fields> {
  return Type.Object(fields, { additionalProperties: true, ...options });
}

/** Returns the schema of an integer from `minimum` up to the largest that a double holds exactly. */
export function countFrom(minimum: number): TInteger {
  return Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER });
}

/** Real ids are far shorter. */
export const modelName = Type.String({ minLength: 1, maxLength: 300 });

/** Returns a string schema with JSON Schema's `enum`, so that errors and documents list the values. */
export function checkChoice<const Word extends string>(...values: readonly Word[]): TUnsafe<Word> {
  return Type.Unsafe<Word>({ [Kind]: STRING_ENUM, type: "string", enum: values });
}

/**
 * True if it is an object with more than `most` fields. Fields are counted one by one, since merely listing the names of a
 * few million takes seconds.
 */
export function hasManyFields(value: unknown, most: number): boolean {
  if (!isObject(value)) return false;
  let count = 0;
  for (const _field in value) if (++count > most) return true;
  return false;
}

/** Throws a Fault if an object has more than `most` fields. `path` is "" for the body itself. */
export function refuseManyFields(value: unknown, most: number, path: string): void {
  if (!hasManyFields(value, most)) return;
  const where = path === "" ? "request" : `'${path}'`;
  const message = `Invalid ${where}: too many entries. At most ${most} are allowed.`;
  throw new Fault("object_above_max_properties", message, { param: path || null });
}
