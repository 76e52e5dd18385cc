// A text as an array of numbers, by which it is scanned several times: a number takes a fraction of the time of `charCodeAt`.

/** A text is followed by this many zeros, so that a word's end needs no comparison with the text's. */
const ZEROS = 4;
let codes = new Uint16Array(16_384);
let bytes = Buffer.from(codes.buffer);

/** Returns the text's UTF-16 codes, then zeros. Valid until the next call, which uses the same memory. */
export function readCodes(text: string): Uint16Array {
  const end = text.length;
  if (end + ZEROS > codes.length) {
    codes = new Uint16Array(2 * (end + ZEROS));
    bytes = Buffer.from(codes.buffer);
  }
  bytes.write(text, "utf16le");
  for (let at = end; at < end + ZEROS; at++) codes[at] = 0;
  return codes;
}
