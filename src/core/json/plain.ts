// JSON that reads the same everywhere: UTF-8 without doubled names, odd numbers or halves of surrogates.
import { isObject } from "./json.ts";
import { readRepeated } from "./repeated.ts";
import type { JsonShape } from "./shape.ts";
import { scanBytes } from "./text-scan.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Returns undefined if the bytes aren't JSON in UTF-8. */
export function parseUtf8(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

interface PlainValue {
  readonly value: unknown;
  /** The elements and fields within it. */
  readonly elements: number;
}

/** Returns null for all other JSON, and for more structure than `most`. Leaves the marks of the scan. */
export function readPlain(bytes: Uint8Array, most: JsonShape): PlainValue | null {
  const scanned = scanBytes(bytes, most);
  if (scanned === null || scanned.hasOddNumber) return null;
  const { depth, elements } = scanned;
  if (depth > most.depth || elements > most.elements) return null;
  const value = parseUtf8(bytes);
  if (value === undefined || (scanned.hasSurrogate && !isWellFormed(value))) return null;
  return countElements(value) === elements ? { value, elements } : null;
}

/** True if no string of the value has half a surrogate. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([field, one]) => field.isWellFormed() && isWellFormed(one));
}

/** Counts the elements and fields within a value. A text has more if a name was given twice. */
export function countElements(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const known = readRepeated(value);
  if (known !== undefined) return known.elements;
  let elements = 0;
  if (Array.isArray(value)) {
    elements += value.length;
    for (const one of value) if (typeof one === "object" && one !== null) elements += countElements(one);
    return elements;
  }
  if (!isObject(value)) return elements;
  for (const name in value) {
    const held = value[name];
    elements++;
    if (typeof held === "object" && held !== null) elements += countElements(held);
  }
  return elements;
}
