// Decompresses answers as fast as they are read, and no faster. Calls ask for uncompressed ones, but a server may ignore
// that, and the runtime would decompress without regard to the reader: 800 bytes became 0.7 GB before it was noticed.
import { Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
  ["zstd", () => createZstdDecompress()],
]);

/** Returns the answer with a plain body. One in an unknown encoding stays as it is, and can't be parsed. */
export function decompress(response: Response): Response {
  const encoding = response.headers.get("content-encoding");
  const decoder = encoding === null ? undefined : DECODERS.get(encoding.trim().toLowerCase())?.();
  if (decoder === undefined || response.body === null) return response;
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(pipe(response.body, decoder), { status, statusText, headers });
}

/** A failure on either side ends the other. */
function pipe(body: ReadableStream<Uint8Array>, decoder: Transform): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const source = Readable.from(readPieces(reader), { highWaterMark: 1, objectMode: true });
  source.on("error", (error) => decoder.destroy(error));
  const pieces = source.pipe(decoder)[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      decoder.destroy();
      await reader.cancel(reason);
    },
  });
}

async function* readPieces(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
