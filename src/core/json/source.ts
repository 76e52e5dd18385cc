// The bytes that large values of a request were parsed from: one that nothing has changed is sent as it came.

import { parseBounded } from "./bounds.ts";
import { ElementWork, keepsJson } from "./growing.ts";
import type { JsonObject } from "./json.ts";
import { countElements } from "./plain.ts";
import { findRepeated, mayRepeat, noteRepeated, type RepeatedValue, readRepeated } from "./repeated.ts";

/** Shorter values are written faster than they are looked up and joined. */
const SOURCE_BYTES_MIN = 1024;

/** No value is changed in place, so the same object means the same text. */
const sources = new WeakMap<object, Uint8Array>();

const ZERO = 0x30;
const NO_STRUCTURE = { depth: 0, elements: 0 };
const utf8 = new TextDecoder();

/** The place of a field's value in a text: from its colon to the comma or bracket behind it. */
export interface FieldPlace {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Lists the large values of an object in JSON, by the marks that a scan has left. Malformed JSON has some, too. */
export function listLarge(text: Uint8Array, marks: Int32Array): readonly FieldPlace[] {
  const large: FieldPlace[] = [];
  for (let at = 0, from = text.indexOf(0x7b) + 1; at + 1 < marks.length; at += 2) {
    const colon = marks[at] ?? 0;
    const end = marks[at + 1] ?? 0;
    if (end - colon > SOURCE_BYTES_MIN) {
      const name = parseBounded(utf8.decode(text.subarray(from, colon)), NO_STRUCTURE);
      large.push({ name: String(name), start: colon + 1, end });
    }
    from = end + 1;
  }
  return large;
}

/** A value that is remembered, and its place in a text. */
interface FieldSource extends RepeatedValue, FieldPlace {}

/** Returns the first value of the text that is remembered. */
export function findKnownValue(text: Uint8Array, marks: Int32Array): FieldSource | null {
  for (const { name, start, end } of listLarge(text, marks)) {
    if (!mayRepeat(name, end - start)) continue;
    const known = findRepeated(text.subarray(start, end));
    if (known !== null) return { ...known, name, start, end };
  }
  return null;
}

/** Calls `read` with the text in which 0 stands for the value found. The bytes are changed only meanwhile. */
export function readWithout<Result>(
  text: Uint8Array,
  { bytes, start, end }: FieldSource,
  read: (text: Uint8Array) => Result,
): Result {
  const length = text.length - (end - start) + 1;
  text[start] = ZERO;
  text.copyWithin(start + 1, end);
  try {
    return read(text.subarray(0, length));
  } finally {
    text.copyWithin(end, start + 1, length);
    text.set(bytes, start);
  }
}

/**
 * Remembers the bytes of a parsed body's large lists and objects, and returns true. `marks` are the places of the outermost
 * colons and commas, and of the last bracket. Only for a text that reads the same everywhere, which has these `elements`:
 * if the body has fewer, a name was given twice, and other readers may keep the other value.
 */
export function keepSources(
  body: JsonObject,
  text: Uint8Array,
  marks: Int32Array,
  elements: number,
): boolean {
  if (text.length <= SOURCE_BYTES_MIN) return false;
  if (marks.length !== 2 * Object.keys(body).length || countElements(body) !== elements) return false;
  for (const { name, start, end } of listLarge(text, marks)) {
    const value = body[name];
    if (typeof value !== "object" || value === null || readRepeated(value)) continue;
    const source = text.subarray(start, end);
    if (mayRepeat(name, source.length)) noteRepeated(value, source, countElements(value));
    // A remembered value has bytes of its own. These would keep the whole body's in memory.
    if (!readRepeated(value)) keepSource(value, source);
  }
  return true;
}

/** Remembers the bytes of a value. */
export function keepSource(value: object, source: Uint8Array): void {
  sources.set(value, source);
}

/** Forgets the bytes of these values, so that a long answer doesn't keep them. */
export function forgetSources(body: object): void {
  for (const value of Object.values(body)) {
    if (typeof value === "object" && value !== null) sources.delete(value);
  }
}

/** Returns the body as JSON, in bytes if a part of it is sent as it came, or as it was written before. */
export function writeJson(body: JsonObject): string | Uint8Array<ArrayBuffer> {
  for (const field in body) if (isWritten(body[field])) return joinPieces(body);
  return JSON.stringify(body);
}

function isWritten(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (sources.has(value) || readRepeated(value)) return true;
  return Array.isArray(value) && value.length > 0 && keepsJson(value);
}

function joinPieces(body: JsonObject): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  let text = "{";
  for (const field of Object.keys(body)) {
    const value = body[field];
    const hasPieces = isWritten(value);
    const written = hasPieces ? "" : JSON.stringify(value);
    if (written === undefined) continue;
    text += `${text === "{" && pieces.length === 0 ? "" : ","}${JSON.stringify(field)}:${written}`;
    if (!hasPieces) continue;
    pieces.push(Buffer.from(text));
    addPieces(value, pieces);
    text = "";
  }
  pieces.push(Buffer.from(`${text}}`));
  return Buffer.concat(pieces);
}

/** By element, its JSON behind a comma: a list that grows is written only where it is new. */
const WRITTEN = new ElementWork<Uint8Array>();
const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");

function addPieces(value: object, pieces: Uint8Array[]): void {
  const source = sources.get(value) ?? readRepeated(value)?.bytes;
  if (source) return void pieces.push(source);
  const write = (one: unknown) => Buffer.from(`,${JSON.stringify(one) ?? "null"}`);
  const written = Array.isArray(value) ? WRITTEN.listResults(value, write) : null;
  pieces.push(OPEN);
  for (const one of written ?? []) pieces.push(pieces.at(-1) === OPEN ? one.subarray(1) : one);
  pieces.push(CLOSE);
}
