// JSON values as types, and the narrowing that every reader of foreign JSON needs.

export type JsonObject = { [key: string]: unknown };

/** True for a plain JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object, or an empty one: for optional nested fields of foreign bodies. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as an array, or an empty one. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a string, or undefined when it is anything else. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value as a finite number, or undefined when it is anything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A count of tokens: a whole number from 0 up; anything else counts as 0. */
export function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? Math.round(value) : 0;
}

/** Parses JSON; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
