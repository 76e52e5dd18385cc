// Inputs of batches that are no lines of JSON: their first bytes tell what they are instead.

const CARRIAGE_RETURN = 0x0d;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
/** The last characters of a line behind which an object goes on. */
const GOES_ON = /[{[,:]\s*$/;

const startsWith = (bytes: Uint8Array, start: readonly number[]) =>
  start.every((byte, at) => bytes[at] === byte);

/** Returns what the input is and what would be right, by its first line or the beginning of it. Null if nothing tells. */
export function explainInput(first: Uint8Array): string | null {
  if (isWide(first)) return "The file is in UTF-16 or UTF-32. Save it in UTF-8.";
  if (startsWith(first, [0x1f, 0x8b])) return "The file is compressed by gzip. Upload it uncompressed.";
  if (startsWith(first, [0x50, 0x4b, 0x03, 0x04])) return "The file is a ZIP archive. Upload the file in it.";
  const begin = first.findIndex((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
  if (first[begin] === OPEN_LIST)
    return "The file is a JSON array. Write each request as an object on a line of its own, without brackets and commas around them.";
  if (first[begin] !== OPEN_OBJECT) return null;
  if (hasInnerReturn(first)) return "The file's lines end in CR alone. End them in LF, or in CRLF.";
  if (GOES_ON.test(Buffer.from(first).toString("latin1")))
    return "The first object goes on behind its line. Write each request on one line, without line breaks for the eye.";
  return null;
}

/** True for a mark of the order of bytes, or an ASCII character in two. */
function isWide(bytes: Uint8Array): boolean {
  const [one, two] = bytes;
  const isMarked = (one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff);
  return isMarked || (one === 0) !== (two === 0);
}

/** True if a line begins behind a CR. */
function hasInnerReturn(bytes: Uint8Array): boolean {
  const at = bytes.indexOf(CARRIAGE_RETURN);
  return at !== -1 && bytes.subarray(at).includes(OPEN_OBJECT);
}
