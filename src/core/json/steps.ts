// Parses long JSON in steps, between which other work goes on: each long text in pieces, then what stands around them.
import { parseWithTools } from "./exact.ts";
import { isObject } from "./json.ts";

/** A piece of a text takes half a millisecond if each of its characters is escaped. */
const PIECE_BYTES = 65_536;
/** Shorter texts stay in their places: 100,000 of them take 30 ms, and one apart takes a microsecond. */
const LONG_BYTES = 64;
/** Begins what stands for a long text: half a pair of surrogates, with which a request is refused otherwise. */
const MARK = "\udfff";
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const UNICODE_ESCAPE = 0x75;
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns what `parseWithTools` does, and undefined if the bytes aren't UTF-8. The depth must be bounded. */
export function* parseInSteps(bytes: Uint8Array): Generator<undefined, unknown> {
  const texts: string[] = [];
  try {
    const around = yield* takeTexts(bytes, texts);
    const value = parseWithTools(around);
    yield;
    return restore(value, texts);
  } catch {
    return undefined;
  }
}

/** Returns the JSON with marks for its long texts, which are added to the list. Throws if one of them is malformed. */
function* takeTexts(bytes: Uint8Array, texts: string[]): Generator<undefined, string> {
  const around: string[] = [];
  let from = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0;
  let next = PIECE_BYTES;
  for (let at = bytes.indexOf(QUOTE); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    const start = at + 1;
    at = findCut(bytes, start, LONG_BYTES);
    if (bytes[at] !== QUOTE) {
      const text = yield* readText(bytes, start);
      around.push(utf8.decode(bytes.subarray(from, start)), `\\udfff${texts.length}`);
      texts.push(text.value);
      at = from = text.end;
    }
    if (at > next) {
      next = at + PIECE_BYTES;
      yield;
    }
  }
  around.push(utf8.decode(bytes.subarray(from)));
  return around.join("");
}

function* readText(
  bytes: Uint8Array,
  start: number,
): Generator<undefined, { readonly value: string; readonly end: number }> {
  let value = "";
  for (let at = start; ; yield) {
    const cut = findCut(bytes, at, PIECE_BYTES);
    value += JSON.parse(`"${utf8.decode(bytes.subarray(at, cut))}"`);
    if (bytes[cut] === QUOTE) return { value, end: cut };
    if (cut >= bytes.length) throw new SyntaxError("a text without an end");
    at = cut;
  }
}

/** Returns the end of the text, or a place between two of its characters that is this far away. */
function findCut(bytes: Uint8Array, from: number, length: number): number {
  const most = Math.min(from + length, bytes.length);
  let at = from;
  while (at < most) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) at++;
    else at += bytes[at + 1] === UNICODE_ESCAPE ? 6 : 2;
  }
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

function restore(value: unknown, texts: (string | undefined)[]): unknown {
  if (typeof value === "string") return restoreText(value, texts);
  if (Array.isArray(value)) return value.map((one) => restore(one, texts));
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  if (names.some((name) => name.startsWith(MARK)))
    return Object.fromEntries(names.map((name) => [restoreText(name, texts), restore(value[name], texts)]));
  for (const name of names) value[name] = restore(value[name], texts);
  return value;
}

/** Each text stands in one place: if a client has made its mark, too, one of the two stays half a pair. */
function restoreText(text: string, texts: (string | undefined)[]): string {
  if (!text.startsWith(MARK)) return text;
  const at = Number(text.slice(MARK.length));
  const found = texts[at];
  texts[at] = undefined;
  return found ?? text;
}
