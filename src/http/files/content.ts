// A file's bytes as an answer: whole if it is small, else piece by piece as the client reads them.
import type { StoredFile } from "../../core/batches/file.ts";
import { FileMissing, PIECE_BYTES } from "../../files/port.ts";
import type { HttpPorts } from "../ports.ts";
import { createResponse } from "../serve/answers.ts";
import { reportMissing } from "./placed.ts";

/** Bun says the length of what it has whole, and of nothing that it streams. */
const WHOLE_BYTES_MAX = 4 * PIECE_BYTES;

/** Throws the Fault of a file whose first piece is missing. One that is missing later breaks the connection. */
export async function createContentResponse(
  { files, bodies }: Pick<HttpPorts, "files" | "bodies">,
  owner: string,
  file: StoredFile,
): Promise<Response> {
  const headers = { "content-type": file.type, "content-disposition": "attachment" };
  if (file.bytes > WHOLE_BYTES_MAX) return createResponse(200, await streamBytes(files, file), headers);
  const held = bodies.reserve(owner, file.bytes);
  try {
    const pieces = await Array.fromAsync(files.read(file, 0, file.bytes));
    return createResponse(200, new Uint8Array(Buffer.concat(pieces)), headers);
  } catch (thrown) {
    throw await explainMissing(files, file, thrown);
  } finally {
    held.release();
  }
}

/** Reads the first piece before the answer begins. */
async function streamBytes(files: HttpPorts["files"], file: StoredFile) {
  const bytes = files.read(file, 0, file.bytes);
  const first = await bytes.next().catch(async (thrown: unknown) => {
    throw await explainMissing(files, file, thrown);
  });
  let next: typeof first | null = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = next ?? (await bytes.next());
          next = null;
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          controller.error(await explainMissing(files, file, thrown));
        }
      },
      cancel: () => void bytes.return(undefined),
    },
    { highWaterMark: 0 },
  );
}

async function explainMissing(
  files: HttpPorts["files"],
  file: StoredFile,
  thrown: unknown,
): Promise<unknown> {
  return thrown instanceof FileMissing ? reportMissing(files, file, thrown) : thrown;
}
