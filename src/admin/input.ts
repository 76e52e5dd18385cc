// Reads operators' input: checks it against its schema, then the few fields that a schema can't describe.
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { Fault } from "../core/faults/fault.ts";
import { isObject, type JsonObject } from "../core/json/json.ts";
import { findFirstFault, invalidValue } from "../core/json/schema-fault.ts";
import { WEIGHT_MAX, WEIGHT_MIN } from "../core/models/alias.ts";
import { type NanoUsd, toNanoUsd } from "../core/money/money.ts";
import { hasInvisible } from "../core/text/names.ts";

const IDEMPOTENCY_KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;
const INSTANT_SHAPE = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;
const WHOLE_NUMBER = /^\d{1,9}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is its purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** A note. Null or only spaces if there is none. */
export const noteSchema = Type.Union([Type.String({ maxLength: 500 }), Type.Null()]);
/** A date, or a date and time with a time zone. */
export const momentSchema = Type.String({
  pattern: INSTANT_SHAPE.source,
  expected: "an ISO 8601 time like 2027-01-31T12:00:00Z",
});
/** An amount of USD, exact to a billionth. */
export const usdSchema = Type.Number({ minimum: 0, description: "USD, with up to nine decimals." });

/** A weight in sharing load, relative to the others. */
export const weightSchema = numberSchema(WEIGHT_MIN, WEIGHT_MAX);

export function numberSchema(minimum: number, maximum: number) {
  return Type.Number({ minimum, maximum, expected: `a number from ${minimum} to ${maximum}` });
}

export function integerSchema(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum, expected: `an integer from ${minimum} to ${maximum}` });
}

/** Returns the body with the schema's type. Throws the Fault of the first wrong field. */
export function readInput<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  if (!isObject(value)) throw new Fault("invalid_type", "The request body must be a JSON object.");
  const fault = findFirstFault(schema, value);
  if (isSound(schema, value, fault)) return value;
  throw fault;
}

/** Returns a query with the schema's type. Integers may be text, because queries are text. */
export function readQuery<Schema extends TObject>(schema: Schema, given: unknown): Static<Schema> {
  if (!isObject(given)) return readInput(schema, given);
  const fields: JsonObject = {};
  for (const [name, value] of Object.entries(given)) {
    // PostgreSQL keeps no such text, so it can be part of nothing that is sought.
    if (typeof value === "string" && value.includes("\0"))
      throw invalidValue(name, "expected a text without the character U+0000");
    const rules = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    fields[name] = rules?.type === "integer" ? readInteger(rules, value, name) : value;
  }
  return readInput(schema, fields);
}

function readInteger({ minimum, maximum }: TSchema, value: unknown, param: string): number {
  const number = typeof value === "string" && WHOLE_NUMBER.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= minimum && number <= maximum)
    return number;
  throw invalidValue(param, `expected an integer from ${minimum} to ${maximum}`);
}

function isSound<Schema extends TSchema>(
  _schema: Schema,
  _value: unknown,
  fault: Fault | null,
): _value is Static<Schema> {
  return fault === null;
}

/** Returns a name that isn't blank and has no control characters. */
export function readName(name: string, param = "name"): string {
  const line = readLine(name, param);
  if (line !== "") return line;
  throw new Fault("empty_string", `Invalid '${param}': it must not be empty.`, { param });
}

/** The same for the name of a thing, which another one could otherwise look like. */
export function readVisibleName(name: string, param: string): string {
  const line = readName(name, param);
  if (!hasInvisible(line)) return line;
  throw invalidValue(param, "it contains invisible characters, or some that turn the direction of a text");
}

/** Returns a text of one line, without the spaces at its ends. */
export function readLine(text: string, param: string): string {
  const line = text.trim();
  if (!CONTROL.test(line) && line.isWellFormed()) return line;
  throw invalidValue(param, "it contains control characters");
}

/** Returns the list without repetitions. An empty one restricts nothing, as null does. */
export function readList(given: readonly string[]): readonly string[] | null {
  return given.length > 0 ? [...new Set(given)] : null;
}

/** Returns the id of a top-up, with which a repeated request is recognised. */
export function readIdempotencyKey(key: string, param: string): string {
  if (IDEMPOTENCY_KEY_SHAPE.test(key)) return key;
  throw invalidValue(param, "expected 1 to 255 visible ASCII characters");
}

/** Returns a moment of `momentSchema` in Unix milliseconds. A bare date means its start in UTC. */
export function readInstant(text: string, param: string): number {
  const date = INSTANT_SHAPE.exec(text)?.[1];
  const atMs = date === undefined ? Number.NaN : Date.parse(text);
  // `2026-02-30` would silently become a day in March.
  const isRealDate =
    date !== undefined && new Date(`${date}T00:00:00Z`).getUTCDate() === Number(date.slice(8));
  if (isRealDate && !Number.isNaN(atMs)) return atMs;
  throw invalidValue(param, `expected ${momentSchema.expected}`);
}

/** Reads an amount of `usdSchema`. */
export function readUsd(usd: number, param: string): NanoUsd {
  const amount = toNanoUsd(usd);
  if (amount !== null) return amount;
  throw invalidValue(param, "expected an amount in USD below nine million, with up to nine decimals");
}
