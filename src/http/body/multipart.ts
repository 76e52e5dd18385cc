// Reads multipart/form-data (RFC 7578). The parts are views of the body, so that files aren't copied.
import { Fault } from "../../core/faults/fault.ts";

export interface FormPart {
  readonly name: string;
  /** Null if the part is a field and not a file. */
  readonly filename: string | null;
  /** The media type that the client sent. Empty if there is none. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The maximum size of a part's headers, which hold little more than its name and type. */
export const HEAD_BYTES_MAX = 4096;
export const LINE_END = "\r\n";
export const HEAD_END = "\r\n\r\n";
export const LAST = "--";

const NAME = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i;
const FILENAME = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i;
/** RFC 8187: how some clients send a name in another script. */
const FILENAME_UTF8 = /;\s*filename\*=utf-8''([^\s;]+)/i;

/** Returns the Fault of a form that can't be read. */
export function badForm(why: string): Fault {
  return new Fault("invalid_json", `We could not parse the form data of your request: ${why}.`);
}

/** Yields the parts in order. Throws the Fault that says what is wrong. */
export function* readParts(bytes: Uint8Array<ArrayBuffer>, boundary: string): Generator<FormPart> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const delimiter = `--${boundary}`;
  let at = body.indexOf(delimiter);
  if (at === -1 || (at > 0 && !startsAt(body, at - 2, LINE_END))) throw badForm("its boundary is missing");
  for (;;) {
    at += delimiter.length;
    if (startsAt(body, at, LAST)) return;
    if (!startsAt(body, at, LINE_END)) throw badForm("a boundary line has extra characters");
    const headEnd = body.subarray(at, at + HEAD_BYTES_MAX).indexOf(HEAD_END);
    if (headEnd === -1) throw badForm("a part has no headers, or its headers are too long");
    const begin = at + headEnd + HEAD_END.length;
    const end = body.indexOf(LINE_END + delimiter, begin);
    if (end === -1) throw badForm("it ends within a part");
    yield { ...readHead(body.toString("utf8", at, at + headEnd)), bytes: bytes.subarray(begin, end) };
    at = end + LINE_END.length;
  }
}

function startsAt(body: Buffer, at: number, text: string): boolean {
  return body.toString("latin1", at, at + text.length) === text;
}

export function readHead(text: string): Omit<FormPart, "bytes"> {
  const headers = new Map<string, string>();
  for (const line of text.split(LINE_END)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = headers.get("content-disposition") ?? "";
  const name = NAME.exec(disposition);
  if (!/^form-data\b/i.test(disposition) || !name) throw badForm("a part has no name");
  return {
    name: unquote(name),
    filename: readFilename(disposition),
    type: headers.get("content-type") ?? "",
  };
}

function readFilename(disposition: string): string | null {
  const plain = FILENAME.exec(disposition);
  if (plain) return unquote(plain);
  const encoded = FILENAME_UTF8.exec(disposition)?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw badForm("a file name is not UTF-8");
  }
}

/** Browsers send `%22` and the like (HTML, "multipart/form-data encoding algorithm"), others backslashes. */
function unquote([, quoted, token = ""]: RegExpExecArray): string {
  if (quoted === undefined) return token;
  const text = quoted.replace(/\\(["\\])/g, "$1");
  return text.replace(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code));
}
