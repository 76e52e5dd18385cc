// Building blocks of the admin schemas, from which the OpenAPI document and the console's types are derived.
import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { Frozen } from "../core/world/frozen.ts";

/** The read-only type of a schema's values. */
export type View<Schema extends TSchema> = Frozen<Static<Schema>>;

/** An object in a request, which may have no other fields. */
export function closeObject<Fields extends TProperties>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false });
}

export function allowNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

export function allowWords<const Word extends string>(words: readonly Word[], description?: string) {
  return Type.Unsafe<Word>({ type: "string", enum: [...words], ...(description ? { description } : {}) });
}

/** A page of a list. */
export function wrapRows<Schema extends TSchema>(row: Schema) {
  return Type.Object({
    data: Type.Array(row),
    next: allowNull(Type.String({ description: "The `after` of the next page. Null on the last page." })),
  });
}

/** A page of a list that is searched for a limited time. */
export function wrapSearched<Schema extends TSchema>(row: Schema) {
  return Type.Object({
    ...wrapRows(row).properties,
    scanned_until: Type.Optional(
      Type.String({
        format: "date-time",
        description:
          "Set if the search stopped before the page was full: all rows down to this time were looked at.",
      }),
    ),
  });
}

export const text = Type.String();
export const boolean = Type.Boolean();
export const count = Type.Integer({ minimum: 0 });
export const number = Type.Number();
export const usd = Type.Number({ description: "USD." });
export const instant = Type.String({ format: "date-time" });
/** A fraction of a whole. */
export const share = Type.Number({ minimum: 0, maximum: 1 });
/** JSON that is passed through unchanged. */
export const anyObject = Type.Record(Type.String(), Type.Unknown());

export const percentiles = Type.Object({ p50: number, p95: number });
