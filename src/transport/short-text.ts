// Reads a whole answer that should be short, of a server beside the providers.

/** Returns the body as text, or null if it has more than `bytesMax` bytes. Rejects if it breaks off. */
export async function readShortText({ body }: Response, bytesMax: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
