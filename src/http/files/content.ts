// A file's bytes as an answer: whole if it is small, else piece by piece as the client reads them.
import type { StoredFile } from "../../core/batches/file.ts";
import { FileMissing, PIECE_BYTES } from "../../files/port.ts";
import type { HttpPorts } from "../ports.ts";
import { createResponse } from "../serve/answers.ts";
import { fileMissing } from "./placed.ts";

/** Bun says the length of what it has whole, and of nothing that it streams. */
const WHOLE_BYTES_MAX = 4 * PIECE_BYTES;

/** Throws the Fault of a file whose first piece is missing. One that is missing later breaks the connection. */
export async function createContentResponse(
  { files, bodies }: Pick<HttpPorts, "files" | "bodies">,
  owner: string,
  file: StoredFile,
): Promise<Response> {
  const headers = { "content-type": file.type, "content-disposition": "attachment" };
  if (file.bytes > WHOLE_BYTES_MAX)
    return createResponse(200, await streamBytes(files.read(file, 0, file.bytes), file.id), headers);
  const held = bodies.reserve(owner, file.bytes);
  try {
    const pieces = await Array.fromAsync(files.read(file, 0, file.bytes));
    return createResponse(200, new Uint8Array(Buffer.concat(pieces)), headers);
  } catch (thrown) {
    throw explainMissing(thrown, file.id);
  } finally {
    held.release();
  }
}

/** Reads the first piece before the answer begins. */
async function streamBytes(bytes: AsyncGenerator<Uint8Array>, id: string) {
  const first = await bytes.next().catch((thrown: unknown) => {
    throw explainMissing(thrown, id);
  });
  let next: typeof first | null = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = next ?? (await bytes.next());
        next = null;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void bytes.return(undefined),
    },
    { highWaterMark: 0 },
  );
}

function explainMissing(thrown: unknown, id: string): unknown {
  return thrown instanceof FileMissing ? fileMissing(id, thrown) : thrown;
}
