// Reads a whole body piece by piece, within its bounds.
import { LongJsonReader } from "../core/json/long.ts";
import type { DeliveredBody } from "../core/models/dialect.ts";
import { malformed } from "../core/models/upstream.ts";

/** Reads it as text, or as JSON without copying its long strings. Rejects if it is too long or breaks off. */
export async function readLarge(
  response: Response,
  isLong: boolean,
  bytesMax: number,
): Promise<DeliveredBody["body"]> {
  if (isLong) {
    const reader = new LongJsonReader();
    await readBytes(response, bytesMax, (piece) => reader.push(piece));
    return reader.end();
  }
  const pieces: string[] = [];
  await readText(response, bytesMax, pieces);
  return pieces.join("");
}

/** Appends the body's text to `pieces`. Rejects if it is too long or breaks off. */
export function readText(response: Response, bytesMax: number, pieces: string[]): Promise<void> {
  const decoder = new TextDecoder();
  return readBytes(response, bytesMax, (piece) => {
    pieces.push(decoder.decode(piece, { stream: true }));
  });
}

async function readBytes(
  response: Response,
  bytesMax: number,
  onPiece: (piece: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  let length = 0;
  for await (const piece of response.body ?? []) {
    onPiece(piece);
    length += piece.byteLength;
    if (length > bytesMax) throw malformed("the answer is too large");
  }
}
