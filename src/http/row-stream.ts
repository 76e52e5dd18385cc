// Rows of an export as the body of an answer.
import type { ExportForm, ExportRow } from "../admin/export-rows.ts";
import { toFault } from "../core/fault.ts";
import type { Log } from "../core/world.ts";

/**
 * Reads the first rows before anything is answered, so that a wrong filter is an error, then only while the client reads.
 * If reading fails later, the body breaks off, which the log explains.
 */
export async function streamRows(
  pages: AsyncGenerator<readonly ExportRow[]>,
  { head, format }: ExportForm,
  { name, log }: { readonly name: string; readonly log: Log },
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  let first: IteratorResult<readonly ExportRow[]> | null = await pages.next();
  let rows = 0;
  const readNext = async () => {
    try {
      return first ?? (await pages.next());
    } catch (error) {
      const { message, details } = toFault(error);
      log({ event: "export_failed", level: "error", export: name, rows, cause: details.reason ?? message });
      throw error;
    } finally {
      first = null;
    }
  };
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    async pull(controller) {
      const { done, value } = await readNext();
      if (done) return controller.close();
      rows += value.length;
      controller.enqueue(encoder.encode(value.map(format).join("")));
    },
    cancel: async () => void (await pages.return(undefined)),
  });
}
