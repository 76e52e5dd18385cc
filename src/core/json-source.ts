// The bytes that large values of a request were parsed from: one that nothing has changed is sent as it came.
import type { JsonObject } from "./json.ts";
import { parseBounded } from "./json-bounds.ts";

/** Shorter values are written faster than they are looked up and joined. */
const SOURCE_BYTES_MIN = 1024;

/** No value is changed in place, so the same object means the same text. */
const sources = new WeakMap<object, Uint8Array>();

const NO_STRUCTURE = { depth: 0, elements: 0 };
const utf8 = new TextDecoder();

/**
 * Remembers the bytes of a parsed body's large lists and objects. `marks` are the places of the outermost colons and
 * commas, and of the last bracket. Only for a text that reads the same everywhere, which has these `elements`: if the
 * body has fewer, a name was given twice, and other readers may keep the other value.
 */
export function keepSources(body: JsonObject, text: Uint8Array, marks: Int32Array, elements: number): void {
  if (text.length <= SOURCE_BYTES_MIN) return;
  if (marks.length !== 2 * Object.keys(body).length || countElements(body) !== elements) return;
  for (let at = 0, from = text.indexOf(0x7b) + 1; at + 1 < marks.length; at += 2) {
    const [colon = 0, end = 0] = marks.subarray(at, at + 2);
    if (end - colon > SOURCE_BYTES_MIN) {
      const name = parseBounded(utf8.decode(text.subarray(from, colon)), NO_STRUCTURE);
      const value = body[String(name)];
      if (typeof value === "object" && value !== null) sources.set(value, text.subarray(colon + 1, end));
    }
    from = end + 1;
  }
}

/** Forgets the bytes of these values, so that a long answer doesn't keep them. */
export function forgetSources(body: object): void {
  for (const value of Object.values(body)) {
    if (typeof value === "object" && value !== null) sources.delete(value);
  }
}

/** Returns the body as JSON, in bytes if a part of it is sent as it came. */
export function writeJson(body: JsonObject): string | Uint8Array<ArrayBuffer> {
  for (const field in body) if (findSource(body[field])) return joinSources(body);
  return JSON.stringify(body);
}

function findSource(value: unknown): Uint8Array | undefined {
  return typeof value === "object" && value !== null ? sources.get(value) : undefined;
}

function joinSources(body: JsonObject): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  let text = "{";
  for (const field of Object.keys(body)) {
    const value = body[field];
    const source = findSource(value);
    const written = source ? "" : JSON.stringify(value);
    if (written === undefined) continue;
    text += `${text === "{" && pieces.length === 0 ? "" : ","}${JSON.stringify(field)}:${written}`;
    if (source === undefined) continue;
    pieces.push(Buffer.from(text), source);
    text = "";
  }
  pieces.push(Buffer.from(`${text}}`));
  return Buffer.concat(pieces);
}

function countElements(value: object): number {
  let elements = 0;
  if (Array.isArray(value)) {
    elements += value.length;
    for (const one of value) if (typeof one === "object" && one !== null) elements += countElements(one);
    return elements;
  }
  const fields = value as JsonObject;
  for (const name in fields) {
    const held = fields[name];
    elements++;
    if (typeof held === "object" && held !== null) elements += countElements(held);
  }
  return elements;
}
