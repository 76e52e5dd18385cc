// Checks a body against a schema: by interpreting it at first, compiled once that pays.
import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { Fault } from "../core/fault.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { firstFault } from "../core/schema-fault.ts";
import { refuseManyFields } from "./bounds.ts";

/** Compiling takes 9 ms; a check without it takes five times as long, 2 µs a message: only a gateway's first answers go without. */
const PLAIN_ITEMS = 100;
/** The most fields of a request and of each message: no API has more than some forty, extensions included. */
export const FIELDS_MAX = 256;

/** These would reach into the object itself where a later reader merges carelessly: they are nobody's field. */
export const NEVER: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export class Checker {
  readonly #schema: TSchema;
  #plainItems = 0;
  #compiled: TypeCheck<TSchema> | null = null;

  constructor(schema: TSchema) {
    this.#schema = schema;
  }

  /** Throws the Fault that names the first field out of bounds. `items` is about how much there is to check. */
  check(given: unknown, items: number): void {
    if (this.#isSound(given, items)) return;
    throw firstFault(this.#schema, given) ?? new Fault("invalid_value", "The request is not valid.");
  }

  #isSound(given: unknown, items: number): boolean {
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

/** Throws the Fault of a name that not every store can keep. */
export function checkModelName(model: unknown): void {
  if (typeof model === "string" && !model.includes("\0")) return;
  throw new Fault("invalid_value", "Invalid 'model': it can't hold a NUL character.", { param: "model" });
}
