// Changes of parsed settings: the definition of each change, which knows no text.
import { isObject, type JsonObject } from "../../../core/json/json.ts";
import { type SettingChange, type SettingPath, SettingsError } from "./format.ts";

type ListChange = Extract<SettingChange, { readonly kind: "first" | "drop" }>;

/** True for equal values. Objects have no order. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  if (!isObject(one) || !isObject(other)) return one === other || (Number.isNaN(one) && Number.isNaN(other));
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  );
}

/** Returns the value at a path, or undefined. */
export function readField(value: JsonObject, path: SettingPath): unknown {
  let field: unknown = value;
  for (const key of path) {
    if (!isObject(field) || !Object.hasOwn(field, key)) return undefined;
    field = field[key];
  }
  return field;
}

/**
 * Returns the value with a change made, or the same object if nothing changes. Throws `SettingsError` if something else
 * stands in the way.
 */
export function applyChange(value: JsonObject, change: SettingChange): JsonObject {
  const { path } = change;
  const before = readField(value, path);
  if (change.kind === "remove") return before === undefined ? value : withoutField(value, path);
  if (change.kind === "drop" && !Array.isArray(before)) return value;
  const after = change.kind === "set" ? change.value : changeList(before, change);
  return before !== undefined && isEqual(before, after) ? value : withField(value, path, after);
}

function changeList(before: unknown, change: ListChange): unknown {
  const list = readList(before, change.path);
  const taken = listTaken(list, change);
  const left = list.filter((_, at) => !taken.has(at));
  return change.kind === "first" ? [change.value, ...left] : left;
}

/** Returns the list's entries. None stand where there is nothing, or null. */
export function readList(value: unknown, path: SettingPath): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value === undefined || value === null) return [];
  throw new SettingsError(`${path.join(".")} is not a list`);
}

/** Returns the indexes of the entries that a change takes out. */
export function listTaken(list: readonly unknown[], change: ListChange): ReadonlySet<number> {
  const { kind, value } = change;
  const isTaken = (entry: unknown) =>
    isEqual(entry, value) ||
    (kind === "first" &&
      change.same.length > 0 &&
      isObject(entry) &&
      change.same.every((field) => Object.hasOwn(entry, field) && isEqual(entry[field], value[field])));
  return new Set(list.flatMap((entry, at) => (isTaken(entry) ? at : [])));
}

function withField(value: JsonObject, [key = "", ...rest]: SettingPath, field: unknown): JsonObject {
  if (rest.length === 0) return { ...value, [key]: field };
  const around = Object.hasOwn(value, key) ? (value[key] ?? {}) : {};
  if (!isObject(around)) throw new SettingsError(`${key} holds a value, not fields`);
  return { ...value, [key]: withField(around, rest, field) };
}

/** The field is there. */
function withoutField(value: JsonObject, [key = "", ...rest]: SettingPath): JsonObject {
  const { [key]: field, ...others } = value;
  return rest.length === 0 || !isObject(field) ? others : { ...value, [key]: withoutField(field, rest) };
}

/** Returns the value within objects of a field each. */
export function nestValue(path: SettingPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}
