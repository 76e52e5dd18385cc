// The texts in the client's own JSON: values and keys, JSON in a text, schemas, and text documents sent as files.

import { parseBounded, REQUEST_SHAPE } from "../core/json/bounds.ts";
import { asString, isObject, type JsonObject } from "../core/json/json.ts";
import { parseDataUrl } from "./chat/prompt/data-url.ts";

/** Returns what replaces a text or a key. `field` is the name of the field that holds it, through lists. */
export interface JsonChange {
  text(text: string, field?: string): string;
  key(key: string): string;
  /** The same for the digits of an integer. Missing if integers stay as they are. */
  readonly integer?: ((digits: string, field?: string) => string) | undefined;
}

/** True for an object made of JSON, false for a file's bytes and other classes. */
export function isPlain(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns the list with each element replaced, or the same list if none was. */
export function mapList<T, R = T>(
  given: readonly T[],
  replace: (one: T, index: number) => R,
): readonly (T | R)[] {
  let mapped: (T | R)[] | null = null;
  let index = 0;
  for (const one of given) {
    const now = replace(one, index);
    if (!Object.is(now, one)) mapped ??= given.slice(0, index);
    mapped?.push(now);
    index++;
  }
  return mapped ?? given;
}

/** Returns the object with each value replaced, or the same object if none was. Keys are renamed if `rename` is given. */
export function mapFields(
  given: JsonObject,
  replace: (value: unknown, field: string) => unknown,
  rename?: (key: string) => string,
): JsonObject {
  const fields = Object.keys(given);
  const taken = new Map<string, number>();
  const take = rename ? (name: string) => separate(name, taken) : (name: string) => name;
  // Most objects stay as they are, and need no list.
  let entries: (readonly [string, unknown])[] | null = null;
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? "";
    const name = rename?.(field) ?? field;
    const value = replace(given[field], field);
    if (entries === null && name === field && value === given[field]) continue;
    entries ??= fields.slice(0, at).map((one) => [take(one), given[one]]);
    entries.push([take(name), value]);
  }
  return entries === null ? given : Object.fromEntries(entries);
}

/** Two keys that were told apart stay apart, or the first value would be lost. `taken` counts the uses of each name. */
function separate(name: string, taken: Map<string, number>): string {
  let free = name;
  for (let times = (taken.get(name) ?? 0) + 1; taken.has(free); times++) {
    free = `${name}_${times}`;
    taken.set(name, times);
  }
  taken.set(free, 1);
  return free;
}

/** Numbers of cards, people and accounts have so many digits. */
const INTEGER = /^-?\d{9,19}$/;

/** Changes all values and keys. Of numbers only the integers that the change takes. */
export function mapJson(value: unknown, change: JsonChange, field?: string): unknown {
  if (typeof value === "string") return change.text(value, field);
  if (typeof value === "number" || typeof value === "bigint") return mapInteger(value, change, field);
  if (Array.isArray(value)) return mapList<unknown>(value, (one) => mapJson(one, change, field));
  return isPlain(value) ? mapFields(value, (held, name) => mapJson(held, change, name), change.key) : value;
}

function mapInteger(value: number | bigint, { integer }: JsonChange, field?: string): unknown {
  if (integer === undefined) return value;
  const digits = String(value);
  const now = INTEGER.test(digits) ? integer(digits, field) : digits;
  return now === digits ? value : now;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** A string's opening quote, a bracket, or a number. */
const TOKEN = /["[\]{}]|-?\d[\d.eE+-]*/g;

/**
 * Changes the values and keys of a JSON object or list in a text, and nothing else of it: other numbers and spaces stay as
 * they were written. A text that is no such JSON is changed as a whole.
 */
export function mapJsonText(text: string, change: JsonChange): string {
  const parsed = parseBounded(text, REQUEST_SHAPE);
  if (typeof parsed !== "object" || parsed === null) return change.text(text);
  const walk = new JsonTextWalk(text, change);
  for (let token = findToken(text, 0); token !== null; ) token = findToken(text, walk.take(token));
  return walk.write();
}

function findToken(text: string, from: number): RegExpExecArray | null {
  TOKEN.lastIndex = from;
  return TOKEN.exec(text);
}

/** The tokens of one JSON text, in their order. */
class JsonTextWalk {
  readonly #text: string;
  readonly #change: JsonChange;
  /** The field at hand of each open bracket, the innermost last. */
  readonly #fields: (string | undefined)[] = [undefined];
  readonly #pieces: string[] = [];
  #copied = 0;

  constructor(text: string, change: JsonChange) {
    this.#text = text;
    this.#change = change;
  }

  /** Returns the position after the token. */
  take({ index: start, 0: token }: RegExpExecArray): number {
    const end = start + token.length;
    switch (token) {
      case '"':
        return this.#takeString(start);
      case "{":
      case "[":
        this.#fields.push(this.#fields.at(-1));
        return end;
      case "}":
      case "]":
        this.#fields.pop();
        return end;
      default:
        if (this.#change.integer && INTEGER.test(token))
          this.#replace(start, end, token, this.#change.integer(token, this.#fields.at(-1)));
        return end;
    }
  }

  write(): string {
    return this.#pieces.length === 0 ? this.#text : this.#pieces.join("") + this.#text.slice(this.#copied);
  }

  #takeString(start: number): number {
    const end = findEnd(this.#text, start);
    const given = String(parseBounded(this.#text.slice(start, end), REQUEST_SHAPE));
    if (isKey(this.#text, end)) {
      this.#replace(start, end, given, this.#change.key(given));
      this.#fields[this.#fields.length - 1] = given;
    } else this.#replace(start, end, given, this.#change.text(given, this.#fields.at(-1)));
    return end;
  }

  #replace(from: number, to: number, given: string, now: string): void {
    if (now === given) return;
    this.#pieces.push(this.#text.slice(this.#copied, from), JSON.stringify(now));
    this.#copied = to;
  }
}

/** Returns the position after a string's closing quote. */
function findEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (SPACES.has(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === COLON;
}

/** JSON Schema's keywords: those that hold schemas by name, lists of names, words of its own, and the client's JSON. */
const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const NAMES: ReadonlySet<string> = new Set(["required", "propertyOrdering"]);
const WORDS: ReadonlySet<string> = new Set(["type", "format", "$schema", "contentEncoding"]);
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "example"]);

/** Numbers of JSON Schema's own: a string there would make the schema invalid. */
const BOUNDS: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
]);

/** Changes the texts of a schema. A property's name is a key wherever it stands, so that it stays the same one. */
export function mapSchema(schema: unknown, change: JsonChange, field?: string): unknown {
  if (typeof schema === "string") return change.text(schema);
  if (typeof schema === "number" || typeof schema === "bigint") return mapInteger(schema, change, field);
  if (Array.isArray(schema)) return mapList<unknown>(schema, (one) => mapSchema(one, change, field));
  return isPlain(schema) ? mapFields(schema, (value, field) => mapKeyword(field, value, change)) : schema;
}

function mapKeyword(field: string, value: unknown, change: JsonChange): unknown {
  if (WORDS.has(field) && (typeof value === "string" || Array.isArray(value))) return value;
  if (VALUES.has(field)) return mapJson(value, change, field);
  if (field === "$ref" && typeof value === "string") return mapReference(value, change);
  if (NAMES.has(field)) return mapNames(value, change);
  if (BY_NAME.has(field) && isPlain(value)) {
    return mapFields(value, (one) => mapSchema(one, change), change.key);
  }
  if (field === "dependentRequired" && isPlain(value)) {
    return mapFields(value, (names) => mapNames(names, change), change.key);
  }
  return typeof value === "number" && BOUNDS.has(field) ? value : mapSchema(value, change, field);
}

function mapNames(value: unknown, change: JsonChange): unknown {
  if (!Array.isArray(value)) return value;
  return mapList<unknown>(value, (name) => (typeof name === "string" ? change.key(name) : name));
}

/** In `#/$defs/Address/properties/street`, the segments after such keywords are names. */
function mapReference(reference: string, change: JsonChange): string {
  const segments = reference.split("/");
  return segments.map((one, at) => (BY_NAME.has(segments[at - 1] ?? "") ? change.key(one) : one)).join("/");
}

/** Files whose bytes are text that the model reads as such. */
const TEXT_TYPE = /^text\/|[/+](json|xml|yaml|x-yaml|csv|javascript|markdown)$/;

/** Changes a text document that is sent as base64 of this type or as a data: URL. Any other file stays as it is. */
export function mapFile(given: string, type: string, change: JsonChange): string {
  const url = parseDataUrl(given);
  const mediaType = url?.mediaType ?? type;
  if (!TEXT_TYPE.test(mediaType.toLowerCase())) return given;
  const text = decode(url?.base64 ?? given);
  if (text === null) return given;
  const now = change.text(text);
  if (now === text) return given;
  const base64 = Buffer.from(now).toString("base64");
  return url ? `data:${mediaType};base64,${base64}` : base64;
}

function decode(base64: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64"));
  } catch {
    return null;
  }
}

/** Returns the media type that a node gives for its file. */
export function readMediaType(node: JsonObject): string {
  const { mimeType, mime_type, media_type } = node;
  return asString(mimeType ?? mime_type ?? media_type) ?? "";
}
