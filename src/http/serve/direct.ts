// Bun's direct streams, unknown to the DOM's types: writes go to the connection without a queue in between.

export interface DirectSource {
  /** Called once, when reading starts. The stream ends with `controller.end()`, or fails with `close(error)`. */
  pull(controller: ReadableStreamDirectController): Promise<void>;
  /** Called if the reader leaves. */
  cancel(): void;
}

export function directStream(source: DirectSource): ReadableStream<Uint8Array> {
  const underlying: UnderlyingSource<Uint8Array> = {
    pull(controller) {
      if (!isDirect(controller)) throw new TypeError("This runtime does not support direct streams.");
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

/** Read twice, unless they are made as they are read. */
type BodyPieces = Iterable<string | Uint8Array<ArrayBuffer>>;

/**
 * Streams a body held in pieces, and releases their memory at the end. Nothing else may read them by then. `onEnd` is
 * called once they are read or the reader has left.
 */
export function streamPieces(pieces: BodyPieces, onEnd = () => {}): ReadableStream<Uint8Array> {
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
      onEnd();
    },
    cancel() {
      isLeft = true;
      onEnd();
    },
  });
}

/** Left to the collector, three pictures of 20 MB are still in memory when the fourth arrives. */
function release(pieces: BodyPieces): void {
  for (const piece of pieces) {
    if (typeof piece !== "string" && !piece.buffer.detached) piece.buffer.transfer(0);
  }
}
