// A body's bytes one after the other, within its size and speed, for what isn't held in memory.
import type { Fault } from "../../core/faults/fault.ts";
import type { Deadlines } from "../../core/world/world.ts";
import { BodyPace } from "./body-bounds.ts";
import { toBodyFault, tooLarge } from "./body-bytes.ts";

/**
 * Yields the bytes as they arrive, no faster than they are taken. Throws the Fault of a body that is too large, too slow,
 * or breaks off.
 */
export async function* readPaced(
  { body, headers }: Pick<Request, "body" | "headers">,
  bytesMax: number,
  deadlines: Deadlines,
): AsyncGenerator<Uint8Array> {
  if (Number(headers.get("content-length") ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const reader = body?.getReader();
  if (!reader) return;
  const given: { up: Fault | null } = { up: null };
  // The rest of the body isn't awaited.
  const leave = () => void reader.cancel().catch(() => {});
  const pace = new BodyPace(deadlines, (fault) => {
    given.up = fault;
    leave();
  });
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (given.up) throw given.up;
      if (done) return;
      pace.add(value.length);
      bytes += value.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      yield value;
    }
  } catch (thrown) {
    throw toBodyFault(thrown);
  } finally {
    pace.end();
    leave();
  }
}
