// A long body that lies there in pieces: they go to the connection one after the other, as fast as the client takes them.
import { directStream } from "./direct.ts";

export type BodyPieces = readonly (string | Uint8Array<ArrayBuffer>)[];

/** Returns the stream of the pieces, whose memory is given back at its end: nothing else may read them by then. */
export function streamPieces(pieces: BodyPieces): ReadableStream<Uint8Array> {
  let isLeft = false;
  return directStream({
    async pull(controller) {
      for (const piece of pieces) {
        if (isLeft) break;
        const written = controller.write(piece);
        if (typeof written !== "number") await written;
      }
      if (!isLeft) controller.end();
      release(pieces);
    },
    cancel() {
      isLeft = true;
    },
  });
}

/** Left to the collector, the memory of three pictures of 20 MB is still held when the fourth comes. */
function release(pieces: BodyPieces): void {
  for (const piece of pieces) {
    if (typeof piece !== "string" && !piece.buffer.detached) piece.buffer.transfer(0);
  }
}
