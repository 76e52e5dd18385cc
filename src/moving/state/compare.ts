// The fields that differ between two states of a row, and a digest by which a state is recognised.
import { createHash } from "node:crypto";
import { isObject } from "../../core/json/json.ts";

type ComparedFields = Readonly<Record<string, unknown>>;

/** The order of fields doesn't matter. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(sortFields(one)) === JSON.stringify(sortFields(other));
}

/** Returns the fields that differ, as they are in each. Null if none does. */
export function compareFields(before: ComparedFields, after: ComparedFields) {
  const names = Object.keys(after).filter((name) => !isEqual(before[name], after[name]));
  const pick = (fields: ComparedFields) =>
    Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  return names.length === 0 ? null : { before: pick(before), after: pick(after) };
}

const DIGEST_CHARACTERS = 16;

export function digestFields(fields: object): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(sortFields(fields)))
    .digest("hex");
  return digest.slice(0, DIGEST_CHARACTERS);
}

function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (!isObject(value)) return value;
  const sorted = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, field]) => [name, sortFields(field)]);
}
