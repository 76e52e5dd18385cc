// Leaves a field out of a body by its path, as servers write it: items of lists are all meant, and parts of a path that stand for
// a kind of item, such as `custom` in `tools.0.custom.strict`, are no fields.
import { isObject, type JsonObject } from "../core/json/json.ts";
import { isKept, isWithin, makeFieldWord, normalizeName } from "../core/models/words/body-refusals.ts";

/** The client's own data: schemas, arguments and texts have fields of any name. */
const OWN = new Set([
  "parameters",
  "input_schema",
  "schema",
  "json_schema",
  "arguments",
  "args",
  "properties",
  "response",
]);
/** The parts of a body in which a field is looked for whose place isn't said. */
const SEARCHED = new Set(["tools", "messages", "input", "contents", "system"]);

/** Returns the body without the field. Null if it has none there, or one that holds what is never left out. */
export function leaveOutPath(body: JsonObject, path: readonly string[]): JsonObject | null {
  const [only] = path;
  const isElsewhere = path.length === 1 && only !== undefined && findKey(body, only) === undefined;
  if (isElsewhere && isWithin(only)) {
    const found = findAnywhere(body, only);
    return found === body ? null : found;
  }
  const found = strip(body, isElsewhere ? findParts(body, only) : path);
  return isObject(found) && found !== body ? found : null;
}

/** Objects that hold fields of the model as other APIs have them at the top. */
const HOLDERS = ["generationConfig", "inferenceConfig", "additionalModelRequestFields"];

/** Returns the path of a field that the server names in one word, such as `reasoningEffort` for `reasoning.effort`. */
function findParts(body: JsonObject, name: string): readonly string[] {
  for (const holder of HOLDERS) {
    const held = body[holder];
    if (isObject(held) && findKey(held, name) !== undefined) return [holder, name];
  }
  const words = normalizeName(name).split("_");
  for (let at = 1; at < words.length; at++) {
    const outer = words.slice(0, at).join("_");
    const inner = words.slice(at).join("_");
    const key = findKey(body, outer);
    const held = key === undefined ? null : body[key];
    if (isObject(held) && findKey(held, inner) !== undefined && makeFieldWord(`${outer}.${inner}`) !== null)
      return [outer, inner];
  }
  return [name];
}

/** Returns the same value if there is nothing to leave out. */
function strip(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(value)) return mapSame(value, (item) => strip(item, name === "[]" ? rest : path));
  if (!isObject(value)) return value;
  const key = name === "[]" ? undefined : findKey(value, name);
  if (key === undefined) return rest.length === 0 ? value : stripKind(value, name, rest);
  if (rest.every((one) => one === "[]")) return withoutKey(value, key);
  if (OWN.has(key)) return value;
  const inner = strip(value[key], rest);
  return inner === value[key] ? value : { ...value, [key]: inner };
}

/** A server in front of Claude calls `custom` what chat completions hold under `function`. */
function stripKind(value: JsonObject, kind: string, rest: readonly string[]): JsonObject {
  const found = strip(value, rest);
  if (isObject(found) && found !== value) return found;
  const held = kind === "custom" ? value.function : undefined;
  const inner = strip(held, rest);
  return inner === held ? value : { ...value, function: inner };
}

function withoutKey(value: JsonObject, key: string): JsonObject {
  if (holdsKept(value[key])) return value;
  const { [key]: _refused, ...rest } = value;
  return rest;
}

function findAnywhere(body: JsonObject, name: string): JsonObject {
  return changeFields(body, (held, field) => (SEARCHED.has(field) ? stripWithin(held, name) : held));
}

function stripWithin(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return mapSame(value, (item) => stripWithin(item, name));
  if (!isObject(value)) return value;
  const key = findKey(value, name);
  const found = key === undefined ? value : withoutKey(value, key);
  // The `input` of a call is its arguments.
  const isOwn = (held: unknown, field: string) =>
    OWN.has(field) || (field === "input" && !Array.isArray(held));
  return changeFields(found, (held, field) => (isOwn(held, field) ? held : stripWithin(held, name)));
}

function changeFields(value: JsonObject, change: (held: unknown, field: string) => unknown): JsonObject {
  const changes: JsonObject = {};
  for (const [field, held] of Object.entries(value)) {
    const changed = change(held, field);
    if (changed !== held) changes[field] = changed;
  }
  return Object.keys(changes).length === 0 ? value : { ...value, ...changes };
}

function mapSame(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = items.map(change);
  return changed.some((item, at) => item !== items[at]) ? changed : items;
}

/** Google's servers write names with underscores, whatever the client wrote. */
function findKey(value: JsonObject, name: string): string | undefined {
  if (Object.hasOwn(value, name)) return name;
  const plain = normalizeName(name);
  return Object.keys(value).find((key) => normalizeName(key) === plain);
}

function holdsKept(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsKept);
  return isObject(value) && Object.keys(value).some((key) => isKept(key) || holdsKept(value[key]));
}
