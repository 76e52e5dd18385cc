// Writes multipart/form-data (RFC 7578) without copying its files.
import type { FormEntry } from "../core/models/attachment.ts";

const BOUNDARY_BYTES = 16;
/** The chunk size for large files. */
const PIECE_BYTES = 256 * 1024;

/** A form to send, in pieces. */
export interface WrittenForm {
  /** The media type with its boundary. */
  readonly type: string;
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  readonly length: number;
}

export function writeForm(entries: readonly FormEntry[]): WrittenForm {
  const boundary = `poundkey-${Buffer.from(crypto.getRandomValues(new Uint8Array(BOUNDARY_BYTES))).toString("hex")}`;
  const utf8 = new TextEncoder();
  const pieces = entries.flatMap(([name, value]) => {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quote(name)}"`;
    if (typeof value === "string") return [utf8.encode(`${head}\r\n\r\n${value}\r\n`)];
    const type = value.type === "" ? "application/octet-stream" : value.type.replace(/[^\x20-\x7e]/g, "");
    const rest = `; filename="${quote(value.name)}"\r\ncontent-type: ${type}\r\n\r\n`;
    return [utf8.encode(head + rest), value.bytes, utf8.encode("\r\n")];
  });
  pieces.push(utf8.encode(`--${boundary}--\r\n`));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { type: `multipart/form-data; boundary=${boundary}`, pieces, length };
}

/** Escapes like browsers (HTML, "multipart/form-data encoding algorithm"). */
function quote(text: string): string {
  return text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Returns a stream of the form, for one attempt to send it. */
export function streamForm({ pieces }: WrittenForm): ReadableStream<Uint8Array<ArrayBuffer>> {
  let index = 0;
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[index];
      if (!piece) return controller.close();
      controller.enqueue(piece.subarray(at, at + PIECE_BYTES));
      at += PIECE_BYTES;
      if (at >= piece.length) [index, at] = [index + 1, 0];
    },
  });
}
