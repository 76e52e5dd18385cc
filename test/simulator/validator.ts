// Composable checks of a JSON value, from which each dialect's validator is built.
import { isObject } from "../../src/core/json/json.ts";
import { formatBracketedPath, type Path, reject } from "../../src/simulator/problem.ts";

/** Returns if the value is valid, and throws a Rejection if it isn't. */
export type Check = (value: unknown, path: Path) => void;

export const anything: Check = () => {};

export const text: Check = (value, path) => {
  if (typeof value !== "string") reject("type", `'${formatBracketedPath(path)}' must be a string.`, path);
};

export const flag: Check = (value, path) => {
  if (typeof value !== "boolean") reject("type", `'${formatBracketedPath(path)}' must be a boolean.`, path);
};

export const record: Check = (value, path) => {
  if (!isObject(value)) reject("type", `'${formatBracketedPath(path)}' must be an object.`, path);
};

/** A string that matches the pattern. */
export function matching(pattern: RegExp): Check {
  return (value, path) => {
    text(value, path);
    if (pattern.test(String(value))) return;
    reject(
      "value",
      `Invalid '${formatBracketedPath(path)}': string does not match '${pattern.source}'.`,
      path,
    );
  };
}

/** A number from `low` to `high`, inclusive. */
export function number(low = -Infinity, high = Infinity): Check {
  return (value, path) => {
    if (typeof value !== "number") reject("type", `'${formatBracketedPath(path)}' must be a number.`, path);
    if (value < low || value > high)
      reject("value", `Invalid '${formatBracketedPath(path)}': range: ${low}..${high}.`, path);
  };
}

export function integer(low = -Infinity, high = Infinity): Check {
  const inRange = number(low, high);
  return (value, path) => {
    inRange(value, path);
    if (!Number.isInteger(value)) reject("type", `'${formatBracketedPath(path)}' must be an integer.`, path);
  };
}

export function checkChoice(...allowed: readonly (string | number)[]): Check {
  return (value, path) => {
    if (allowed.some((each) => each === value)) return;
    const given = JSON.stringify(value);
    const supported = allowed.map((each) => `'${each}'`).join(", ");
    reject(
      "value",
      `Invalid value: ${given} at '${formatBracketedPath(path)}'. Supported values are: ${supported}.`,
      path,
    );
  };
}

/** OpenAI's bound on the identifiers of users and caches ("Expected a string with maximum length 64"). */
export const IDENTIFIER_CHARACTERS_MAX = 64;

/** A text of at most this many characters. */
export function textUpTo(most: number): Check {
  return (value, path) => {
    text(value, path);
    if (String(value).length <= most) return;
    const name = formatBracketedPath(path);
    const message = `Invalid '${name}': string too long. Expected a string with maximum length ${most}.`;
    reject("value", message, path, "string_above_max_length");
  };
}

/** OpenAI's bounds on metadata (API reference): 16 entries, keys of 64 characters, values of 512. */
export const metadata: Check = (value, path) => {
  record(value, path);
  const entries = Object.entries(Object(value));
  if (entries.length > 16)
    reject(
      "value",
      `Invalid '${formatBracketedPath(path)}': too many properties.`,
      path,
      "object_above_max_properties",
    );
  for (const [key, held] of entries) {
    textUpTo(64)(key, path);
    textUpTo(512)(held, [...path, key]);
  }
};

export function list(each: Check, least = 0, most = Infinity): Check {
  return (value, path) => {
    if (!Array.isArray(value)) reject("type", `'${formatBracketedPath(path)}' must be an array.`, path);
    if (value.length < least)
      reject("value", `'${formatBracketedPath(path)}' is too short.`, path, "empty_array");
    if (value.length > most)
      reject(
        "value",
        `'${formatBracketedPath(path)}' is too long: at most ${most}.`,
        path,
        "array_above_max_length",
      );
    value.forEach((item, at) => {
      each(item, [...path, at]);
    });
  };
}

/** One of the words, or a value that isn't a string and passes the other check. */
export function wordOr(words: readonly string[], other: Check): Check {
  const known = checkChoice(...words);
  return (value, path) => (typeof value === "string" ? known : other)(value, path);
}

/** Any string, or a value that passes the other check. */
export function textOr(other: Check): Check {
  return (value, path) => {
    if (typeof value !== "string") other(value, path);
  };
}

export interface Fields {
  readonly [name: string]: Check;
}

export interface ShapeRules {
  readonly required?: readonly string[];
  /** True if other fields are allowed. */
  readonly open?: boolean;
  /** True if null is the same as an absent field. */
  readonly nullable?: boolean;
}

/** An object with the fields. */
export function shape(fields: Fields, rules: ShapeRules = {}): Check {
  const { required = [], open = false, nullable = false } = rules;
  return (value, path) => {
    if (!isObject(value)) reject("type", `'${formatBracketedPath(path)}' must be an object.`, path);
    for (const name of required) {
      if (value[name] !== undefined && (value[name] !== null || !nullable)) continue;
      const at = [...path, name];
      reject("missing", `Missing required parameter: '${formatBracketedPath(at)}'.`, at);
    }
    for (const [name, given] of Object.entries(value)) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const at = [...path, name];
      if (!check && !open) reject("unknown", `Unknown parameter: '${formatBracketedPath(at)}'.`, at);
      if (check && !(nullable && given === null)) check(given, at);
    }
  };
}

/** An object whose `key` names the shape that it must have. */
export function variant(key: string, shapes: Fields): Check {
  const known = checkChoice(...Object.keys(shapes));
  return (value, path) => {
    if (!isObject(value)) reject("type", `'${formatBracketedPath(path)}' must be an object.`, path);
    const at = [...path, key];
    if (value[key] === undefined)
      reject("missing", `Missing required parameter: '${formatBracketedPath(at)}'.`, at);
    known(value[key], at);
    shapes[String(value[key])]?.(value, path);
  };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Base64 that isn't empty. */
export const base64: Check = (value, path) => {
  text(value, path);
  const given = String(value);
  if (given === "" || !BASE64.test(given))
    reject("value", `Invalid base64 at '${formatBracketedPath(path)}'.`, path);
};

/** The types of image that models support. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
