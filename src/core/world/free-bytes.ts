// Memory of large bytes that nobody reads any more. Left to the collector, that of several would stay beside the next ones.

/** Shorter ones may lie in memory that others share, and aren't worth it. */
const LARGE_BYTES = 262_144;

/** Frees the memory of bytes that are of nobody's use, if it is theirs alone. They are empty then. */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < LARGE_BYTES || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer))
    return;
  buffer.transfer(0);
}

/** Yields bytes to a reader that keeps none of them: each piece is freed once the next one is asked for. */
export async function* releaseRead(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of input) {
    yield piece;
    freeBytes(piece);
  }
}
