// The length of values as JSON, without writing it: a large one would be copied, and bytes become a field each.
import { isObject } from "./json.ts";

/** The length of punctuation, and of numbers and the like. */
const OTHER_CHARACTERS = 4;

/** Returns the approximate length as JSON. Bytes count once. Values are trees, at most as deep as received JSON may be. */
export function estimateLength(value: unknown): number {
  if (typeof value === "string") return value.length + OTHER_CHARACTERS;
  if (typeof value !== "object" || value === null) return OTHER_CHARACTERS;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let characters = 0;
  if (Array.isArray(value)) for (const one of value) characters += estimateLength(one);
  else if (isObject(value))
    for (const name in value) characters += name.length + OTHER_CHARACTERS + estimateLength(value[name]);
  return characters;
}
