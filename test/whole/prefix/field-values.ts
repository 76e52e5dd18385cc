// The values of each field of a surface's schema that its prefix is tried with, made of the schema itself.
import type { TSchema } from "@sinclair/typebox";
import { asArray, asObject, isObject, type JsonObject } from "../../../src/core/json/json.ts";

/** A field, its names joined by dots, with a value. */
export interface FieldValue {
  readonly field: string;
  readonly value: unknown;
}

/** Returns the body with the value at the field's place. Its objects on the way are copied. */
export function setField(body: JsonObject, field: string, value: unknown): JsonObject {
  const [name = "", ...rest] = field.split(".");
  const inner = rest.length === 0 ? value : setField(asObject(body[name] ?? {}), rest.join("."), value);
  return { ...body, [name]: inner };
}

/**
 * Lists every field of a schema with values: those that are `stated` for it, else those that its own schema describes. A
 * field whose properties are described counts as those.
 */
export function listFieldValues(
  schema: TSchema,
  stated: Readonly<Record<string, readonly unknown[]>>,
  prefix = "",
): readonly FieldValue[] {
  return Object.entries(asObject(schema.properties)).flatMap(([name, inner]) => {
    const field = `${prefix}${name}`;
    const described = asObject(inner) as TSchema;
    const values = stated[field];
    const within = isObject(described.properties) ? listFieldValues(described, stated, `${field}.`) : [];
    if (values !== undefined) return [...values.map((value) => ({ field, value })), ...within];
    return within.length > 0 ? within : listValues(described).map((value) => ({ field, value }));
  });
}

function listValues(schema: TSchema): readonly unknown[] {
  if (schema.const !== undefined) return [schema.const];
  if (Array.isArray(schema.enum)) return schema.enum;
  if (schema.anyOf !== undefined) return asArray(schema.anyOf).flatMap((one) => listValues(one as TSchema));
  switch (schema.type) {
    case "boolean":
      return [true, false];
    case "integer":
    case "number":
      return [Math.max(Number(schema.minimum ?? 1), 1)];
    case "array":
      return listValues((schema.items ?? {}) as TSchema).map((one) => [one]);
    case "object":
      return [makeRequired(schema)];
    case "null":
      return [];
    default:
      return ["word"];
  }
}

function makeRequired(schema: TSchema): JsonObject {
  const properties = asObject(schema.properties);
  const names = asArray(schema.required).map(String);
  return Object.fromEntries(
    names.map((name) => [name, listValues(asObject(properties[name]) as TSchema)[0]]),
  );
}
