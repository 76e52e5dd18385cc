// The parts of the surfaces' schemas that JSON Schema has no short form for: a choice of words, and a bound on an object's size.
import { Kind, type TUnsafe, Type, TypeRegistry } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import { isObject } from "../core/json.ts";

const STRING_ENUM = "StringEnum";
TypeRegistry.Set<{ readonly enum: readonly unknown[] }>(STRING_ENUM, (schema, value) =>
  schema.enum.includes(value),
);

/** One of some strings, as JSON Schema's `enum`: errors and documents list the values. */
export function checkChoice<const Word extends string>(...values: readonly Word[]): TUnsafe<Word> {
  return Type.Unsafe<Word>({ [Kind]: STRING_ENUM, type: "string", enum: values });
}

/**
 * Throws when an object has more than `most` fields; `path` is "" for the body itself. They are counted one by one: to
 * list the names of a few million takes seconds by itself.
 */
export function refuseManyFields(value: unknown, most: number, path: string): void {
  if (!isObject(value)) return;
  let count = 0;
  for (const _field in value) {
    count++;
    if (count <= most) continue;
    const where = path === "" ? "request" : `'${path}'`;
    const message = `Invalid ${where}: too many entries. At most ${most} are allowed.`;
    throw new Fault("object_above_max_properties", message, { param: path || null });
  }
}
