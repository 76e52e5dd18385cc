// JSON types, and functions that narrow unknown JSON.

export type JsonObject = { [key: string]: unknown };

/** Shared by all that lack one: a request reads many optional fields. Frozen, so that a change of it would throw. */
const NO_FIELDS: JsonObject = Object.freeze({});
const NO_ITEMS: readonly never[] = Object.freeze([]);

/** True for a plain JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object, or an empty one: for optional nested fields of foreign bodies. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : NO_FIELDS;
}

/** Returns the value if it is an array, or else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ITEMS;
}

/** Returns the value if it is a string, or else undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the value if it is a finite number, or else undefined. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** True if the object has no fields but these. */
export function hasOnly(object: object, fields: ReadonlySet<string>): boolean {
  for (const field in object) if (!fields.has(field)) return false;
  return true;
}

/** Returns `given` if `made` has the same fields with the same values: what nothing has changed stays the same object. */
export function keepSame<Value extends object>(given: Value, made: Value): Value {
  let fields = 0;
  for (const field in made) {
    if (made[field] !== given[field]) return made;
    fields++;
  }
  return fields === Object.keys(given).length ? given : made;
}

/**
 * Returns the object with other values for these fields, each in its place, and without those that are undefined. Returns
 * the same object if there are none.
 */
export function changeFields(given: JsonObject, changes: JsonObject): JsonObject {
  const names = Object.keys(changes);
  if (names.length === 0) return given;
  const changed: JsonObject = { ...given, ...changes };
  for (const name of names) if (changed[name] === undefined) delete changed[name];
  return changed;
}

/** More than any model reads or writes. Sums and prices of such counts stay exact. */
const COUNT_MAX = 1e9;

/** Reads a token count: an integer from 0 to 1e9. Larger numbers count as 1e9, anything else as 0. */
export function asCount(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.round(value), COUNT_MAX);
}

/** Returns the same fields without those that are undefined: no list of names shows those, and no count. */
export function omitUndefined<Fields extends object>(fields: Fields): Fields {
  const known = { ...fields };
  for (const field in known) if (known[field] === undefined) delete known[field];
  return known;
}

/** Returns undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
