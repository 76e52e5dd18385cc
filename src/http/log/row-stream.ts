// Rows of an export as the body of an answer.
import type { ExportForm, ExportRow } from "../../admin/log/export-rows.ts";
import { toFault } from "../../core/faults/fault.ts";
import type { Log } from "../../core/world/world.ts";
import { directStream } from "../serve/direct.ts";

/** After how many rows garbage is collected. Left to itself, the runtime waits until an export has made 50 MB of it. */
const COLLECTED_AFTER = 1000;

/**
 * Reads the first rows before anything is answered, so that a wrong filter is an error, then only while the client reads.
 * If reading fails later, the body breaks off, which the log explains.
 */
export async function streamRows(
  pages: AsyncGenerator<readonly ExportRow[]>,
  { head, format }: ExportForm,
  { name, log }: { readonly name: string; readonly log: Log },
): Promise<ReadableStream<Uint8Array>> {
  let page = await pages.next();
  let rows = 0;
  let collectedAt = 0;
  const write = async (controller: ReadableStreamDirectController) => {
    controller.write(head);
    for (; !page.done; page = await pages.next()) {
      rows += page.value.length;
      const written = controller.write(page.value.map(format).join(""));
      if (typeof written !== "number") await written;
      if (rows - collectedAt >= COLLECTED_AFTER) {
        Bun.gc(false);
        collectedAt = rows;
      }
    }
    controller.end();
  };
  return directStream({
    pull: (controller) =>
      write(controller).catch((error) => {
        const { message, details } = toFault(error);
        log({ event: "export_failed", level: "error", export: name, rows, cause: details.reason ?? message });
        controller.close(error);
      }),
    cancel: () => void pages.return(undefined),
  });
}
