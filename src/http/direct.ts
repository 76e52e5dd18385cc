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
