// Bun's direct streams, which the DOM's types don't know: what is written goes to the connection with no queue between.

export interface DirectSource {
  /** Called once, when somebody reads. The stream ends with `controller.end()`, or fails with `close(error)`. */
  pull(controller: ReadableStreamDirectController): Promise<void>;
  /** The reader left. */
  cancel(): void;
}

export function directStream(source: DirectSource): ReadableStream<Uint8Array> {
  const underlying: UnderlyingSource<Uint8Array> = {
    pull(controller) {
      if (!isDirect(controller)) throw new TypeError("This runtime has no direct streams.");
      return source.pull(controller);
    },
    cancel: () => source.cancel(),
  };
  Object.assign(underlying, { type: "direct" });
  return new ReadableStream(underlying);
}

function isDirect(controller: object): controller is ReadableStreamDirectController {
  return "write" in controller && "end" in controller;
}

type BodyPieces = readonly (string | Uint8Array<ArrayBuffer>)[];

/** Returns the stream of a long body that lies there in pieces, as fast as the client takes them. Their memory is given back at its end: nothing else may read them by then. */
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
