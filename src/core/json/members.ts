// Where the fields of an object lie in its JSON, so that a value's own bytes can be sent on.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSE: ReadonlySet<number> = new Set([0x7d, 0x5d]);

const decoder = new TextDecoder();

/** A range of bytes, without its end. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the index behind a text that begins at `at`. */
function skipText(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  while (next < bytes.length && bytes[next] !== QUOTE) next += bytes[next] === BACKSLASH ? 2 : 1;
  return next + 1;
}

/**
 * Returns the values of the object's own fields, by their names as they are written. Of a field that is there twice, it is the last, as parsers have it. The JSON
 * must be valid.
 */
export function findMembers(bytes: Uint8Array): ReadonlyMap<string, ByteRange> {
  const members = new Map<string, ByteRange>();
  let at = bytes.findIndex((byte) => OPEN.has(byte)) + 1;
  while (at < bytes.length) {
    const begin = bytes.indexOf(QUOTE, at);
    if (begin === -1) break;
    const end = skipText(bytes, begin);
    const from = bytes.indexOf(COLON, end) + 1;
    const to = skipValue(bytes, from);
    members.set(decoder.decode(bytes.subarray(begin + 1, end - 1)), trim(bytes, { from, to }));
    if (bytes[to] !== COMMA) break;
    at = to + 1;
  }
  return members;
}

/** Returns the index of the comma or the bracket behind a value. */
function skipValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      at = skipText(bytes, at);
      continue;
    }
    if (depth === 0 && (byte === COMMA || CLOSE.has(byte))) return at;
    if (OPEN.has(byte)) depth++;
    else if (CLOSE.has(byte)) depth--;
    at++;
  }
  return at;
}

function trim(bytes: Uint8Array, { from, to }: ByteRange): ByteRange {
  let first = from;
  let last = to;
  while (first < last && (bytes[first] ?? 0) <= 0x20) first++;
  while (last > first && (bytes[last - 1] ?? 0) <= 0x20) last--;
  return { from: first, to: last };
}
