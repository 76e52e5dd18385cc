// Reads a whole answer that should be short, of a server beside the providers.
import { isBounded } from "./text-reader.ts";

/** Returns the body as text, or null if it has more than `bytesMax` bytes. Rejects if it breaks off. */
export function readShortText(response: Response, bytesMax: number): Promise<string | null> {
  // Read at once, it takes a third of the CPU. No body is longer than its stated length, unless it was compressed.
  return isBounded(response.headers, bytesMax) ? response.text() : readPieces(response, bytesMax);
}

async function readPieces(response: Response, bytesMax: number): Promise<string | null> {
  const bytes = await readShortBytes(response, bytesMax);
  return bytes === null ? null : bytes.toString("utf8");
}

/** Returns the body, or null if it has more than `bytesMax` bytes, and then reads no more of it. Rejects if it breaks off. */
export async function readShortBytes({ body }: Response, bytesMax: number): Promise<Buffer | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * Returns a `fetch` for a library that reads answers whole. It rejects if one has more than `bytesMax` bytes, and then reads
 * no more of it. Its error is a TypeError, as that of a connection that breaks off.
 */
export function boundAnswers<Init>(
  send: (url: string, init: Init) => Promise<Response>,
  bytesMax: number,
): (url: string, init: Init) => Promise<Response> {
  return async (url, init) => {
    const response = await send(url, init);
    const text = await readShortText(response, bytesMax);
    if (text === null) throw new TypeError(`the answer has more than ${bytesMax} bytes`);
    const { status, headers } = response;
    const kept = new Headers(headers);
    // The text is decoded already.
    for (const name of ["content-encoding", "content-length"]) kept.delete(name);
    return new Response(text === "" ? null : text, { status, headers: kept });
  };
}
