// Checks a body against a schema: by interpreting it at first, compiled once that pays.
import type { Static, TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { Fault } from "../core/fault.ts";
import { asArray, isObject, type JsonObject } from "../core/json.ts";
import { firstFault } from "../core/schema-fault.ts";
import { refuseManyFields } from "./bounds.ts";

/** Compiling takes 9 ms; a check without it takes five times as long, 2 µs a message: only a gateway's first answers go without. */
const PLAIN_ITEMS = 100;
/** The most fields of a request and of each message: no API has more than some forty, extensions included. */
export const FIELDS_MAX = 256;

/** These would reach into the object itself where a later reader merges carelessly: they are nobody's field. */
export const NEVER: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export class Checker<Schema extends TObject> {
  readonly #schema: Schema;
  #plainItems = 0;
  #compiled: TypeCheck<Schema> | null = null;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /**
   * Returns the fields once they are checked. Throws the Fault that names the first one out of bounds. `list` is the field
   * that makes a request long; `most` is the operator's bound on it.
   */
  check(given: JsonObject, list: string, most = Number.POSITIVE_INFINITY): Static<Schema> {
    refuseLongList(given[list], most, list);
    if (this.#isSound(given, Math.max(1, asArray(given[list]).length))) return given;
    throw firstFault(this.#schema, given) ?? new Fault("invalid_value", "The request is not valid.");
  }

  /** Returns the fields that the schema doesn't name: they go on as they are, where the server may know them. */
  listExtras(given: object): JsonObject {
    const { properties } = this.#schema;
    const isExtra = (field: string) => field !== "stream" && !Object.hasOwn(properties, field);
    return Object.fromEntries(Object.entries(given).filter(([field]) => isExtra(field)));
  }

  #isSound(given: unknown, items: number): given is Static<Schema> {
    if (this.#compiled === null) {
      this.#plainItems += items;
      if (this.#plainItems <= PLAIN_ITEMS) return Value.Check(this.#schema, given);
      this.#compiled = TypeCompiler.Compile(this.#schema);
    }
    return this.#compiled.Check(given);
  }
}

/** The body as an object without nulls and fields that nobody may set. Throws the Fault of a body that is none. */
export function readFields(body: unknown): JsonObject {
  if (!isObject(body)) throw new Fault("invalid_json", "The request body must be a JSON object.");
  refuseManyFields(body, FIELDS_MAX, "");
  const kept: JsonObject = {};
  for (const field of Object.keys(body)) {
    const value = body[field];
    if (value !== null && value !== undefined && !NEVER.has(field)) kept[field] = value;
  }
  return kept;
}

/** Throws the Fault of a list that is longer than the operator allows. */
export function refuseLongList(value: unknown, most: number, path: string): void {
  if (!Array.isArray(value) || value.length <= most) return;
  const message = `Invalid '${path}': array too long. Expected at most ${most} elements.`;
  throw new Fault("array_above_max_length", message, { param: path });
}

/** Throws the Fault of a number that is higher than the operator allows. */
export function refuseLargeNumber(value: unknown, most: number, path: string): void {
  if (typeof value !== "number" || value <= most) return;
  const message = `Invalid '${path}': integer above maximum value. Expected a value <= ${most}.`;
  throw new Fault("integer_above_max_value", message, { param: path });
}

/** Throws the Fault of a name that not every store can keep. */
export function checkModelName(model: unknown): void {
  if (typeof model === "string" && !model.includes("\0")) return;
  throw new Fault("invalid_value", "Invalid 'model': it can't hold a NUL character.", { param: "model" });
}
