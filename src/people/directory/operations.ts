// The operations of a PATCH, read from its body.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { Path } from "./path.ts";
import { parsePath } from "./path.ts";
import { DirectoryRefusal } from "./refusal.ts";

const OPERATIONS_MAX = 1000;
const VERBS = ["add", "remove", "replace"] as const;
type Verb = (typeof VERBS)[number];

/** One attribute to change. `value` is undefined where none was given. */
export interface Step {
  readonly verb: Verb;
  readonly path: Path;
  readonly value: unknown;
}

/** Returns the steps of all operations, in order: one without a path has a step for each attribute of its value. */
export function readOperations(body: JsonObject): readonly Step[] {
  const given = findField(body, "operations");
  if (!Array.isArray(given)) throw new DirectoryRefusal("invalidSyntax", "'Operations' must be a list");
  if (given.length > OPERATIONS_MAX) {
    throw new DirectoryRefusal("tooMany", `at most ${OPERATIONS_MAX} operations are taken at once`);
  }
  return given.flatMap(readOperation);
}

function findField(object: JsonObject, name: string): unknown {
  return Object.entries(object).find(([field]) => field.toLowerCase() === name)?.[1];
}

function readOperation(operation: unknown): readonly Step[] {
  if (!isObject(operation)) throw new DirectoryRefusal("invalidSyntax", "an operation must be an object");
  const verb = readVerb(findField(operation, "op"));
  const path = findField(operation, "path");
  const value = findField(operation, "value");
  if (path !== undefined && path !== null && path !== "") {
    if (typeof path !== "string") throw new DirectoryRefusal("invalidPath", "'path' must be a text");
    return [{ verb, path: parsePath(path), value }];
  }
  if (verb === "remove") throw new DirectoryRefusal("noTarget", "'remove' needs a 'path'");
  if (!isObject(value)) {
    throw new DirectoryRefusal("invalidValue", "without a 'path', 'value' must be an object of attributes");
  }
  return listSteps(verb, value);
}

function readVerb(op: unknown): Verb {
  const word = typeof op === "string" ? op.toLowerCase() : "";
  const verb = VERBS.find((one) => one === word);
  if (verb !== undefined) return verb;
  throw new DirectoryRefusal("invalidSyntax", "'op' must be 'add', 'remove' or 'replace'");
}

/** Returns a step for each attribute. A name that is no path is nobody's attribute, and left out. */
export function listSteps(verb: Verb, attributes: JsonObject): readonly Step[] {
  return Object.entries(attributes).flatMap(([name, value]) => {
    const path = tryPath(name);
    return path === null ? [] : [{ verb, path, value }];
  });
}

function tryPath(name: string): Path | null {
  try {
    return parsePath(name);
  } catch {
    return null;
  }
}

/** Reads `true`, `"True"` and the like. */
export function readFlag(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (word === "true" || word === "false") return word === "true";
  throw new DirectoryRefusal("invalidValue", `'${name}' must be true or false`);
}

/** Returns the text, without the characters that a line can't have. Null for null and the empty text. */
export function readText(name: string, value: unknown, most: number): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "string") throw new DirectoryRefusal("invalidValue", `'${name}' must be a text`);
  if (value.length > most) {
    throw new DirectoryRefusal("invalidValue", `'${name}' has more than ${most} characters`);
  }
  const text = value.replace(UNSHOWN, "").trim();
  return text === "" ? null : text;
}

/** Control, bidirectional and zero-width characters. */
const UNSHOWN = /[\p{Cc}\p{Cs}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;
