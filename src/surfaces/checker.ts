// Checks a body against a schema, which is interpreted at first and compiled once that pays.
import type { Static, TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { Fault } from "../core/faults/fault.ts";
import { ElementWork, isGrowing } from "../core/json/growing.ts";
import { asArray, asObject, isObject, type JsonObject } from "../core/json/json.ts";
import { findFirstFault } from "../core/json/schema-fault.ts";
import { explainForeignValue } from "./asked/foreign-values.ts";
import { refuseManyFields } from "./bounds.ts";
import { explainMissing } from "./misplaced.ts";
import { omitNulls } from "./nulls.ts";

/** Items checked before compiling, which takes 9 ms. Uncompiled checks take 2 µs a message, five times as long. */
const PLAIN_ITEMS = 100;
/** The most fields of a request and of each message. No API has more than about forty, extensions included. */
export const FIELDS_MAX = 256;

/** Never kept as fields: a careless merge later would reach the object's prototype. */
export const NEVER: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export class Checker<Schema extends TObject> {
  readonly #schema: Schema;
  readonly #passed = new ElementWork();
  #plainItems = 0;
  #compiled: TypeCheck<Schema> | null = null;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /**
   * Returns the checked fields, without nulls in optional ones. Throws a Fault that names the first one out of bounds.
   * `list` is the field that makes a request long; `most` is the operator's bound on its length.
   */
  check(given: JsonObject, list: string, most = Number.POSITIVE_INFINITY): Static<Schema> {
    refuseLongList(given[list], most, list);
    const elements = asArray(given[list]);
    const items = Math.max(1, elements.length);
    const goesOn = isGrowing(elements);
    if ((goesOn && this.#hasPassed(given, list)) || this.#isSound(given, items))
      return goesOn ? this.#note(given, list) : given;
    // Only what fails is searched for nulls: they are rare, and most bodies long.
    const kept = omitNulls(this.#schema, given);
    if (kept !== given && this.#isSound(kept, items)) return this.#note(kept, list);
    const fault = findFirstFault(this.#schema, kept);
    if (fault === null) throw new Fault("invalid_value", "The request is not valid.");
    throw explainForeignValue(explainMissing(fault, given, this.#schema.properties), asObject(kept));
  }

  /** Returns the fields missing from the schema, which are passed on to servers that document them. */
  listExtras(given: object): JsonObject {
    const isExtra = (field: string) => field !== "stream" && !Object.hasOwn(this.#schema.properties, field);
    return Object.fromEntries(Object.entries(given).filter(([field]) => isExtra(field)));
  }

  /** True if all of it has passed before but new elements of the list, and these pass. */
  #hasPassed(given: JsonObject, list: string): given is Static<Schema> {
    const elements = asArray(given[list]);
    const passed = this.#passed.count(elements, listOthers(given, list));
    if (passed === 0 || passed === elements.length) return passed > 0;
    const fields: JsonObject = { [list]: elements.slice(passed) };
    for (const field in given) if (typeof given[field] !== "object") fields[field] = given[field];
    return this.#isSound(fields, elements.length - passed);
  }

  #note(given: Static<Schema>, list: string): Static<Schema> {
    const elements = asArray(asObject(given)[list]);
    if (isGrowing(elements)) this.#passed.note(elements, elements.length, listOthers(asObject(given), list));
    return given;
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

/** Lists the other fields: a list's elements are sound for themselves, but what passed has all of them. */
function listOthers(given: JsonObject, list: string): readonly unknown[] {
  const others: unknown[] = [];
  for (const field in given) if (field !== list) others.push(field, given[field]);
  return others;
}

/** Returns the body's fields without nulls and unsafe names. Throws a Fault if it is not an object. */
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

/** Throws a Fault if a list is longer than the operator allows. */
export function refuseLongList(value: unknown, most: number, path: string): void {
  if (!Array.isArray(value) || value.length <= most) return;
  const message = `Invalid '${path}': array too long. Expected at most ${most} elements.`;
  throw new Fault("array_above_max_length", message, { param: path });
}

/** Throws a Fault if a number is higher than the operator allows. */
export function refuseLargeNumber(value: unknown, most: number, path: string): void {
  if (typeof value !== "number" || value <= most) return;
  const message = `Invalid '${path}': integer above maximum value. Expected a value <= ${most}.`;
  throw new Fault("integer_above_max_value", message, { param: path });
}

/** Throws a Fault if a name contains a NUL character, which not every store can keep. */
export function checkModelName(model: unknown): void {
  if (typeof model === "string" && !model.includes("\0")) return;
  throw new Fault("invalid_value", "Invalid 'model': it can't contain a NUL character.", { param: "model" });
}
