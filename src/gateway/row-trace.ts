// The trace of a request as its row has it.
import type { Fault } from "../core/fault.ts";
import type { Trace } from "../core/trace.ts";

/** Mistakes of the client's need no message. */
export function makeTrace({ fault, ...rest }: Omit<Trace, "message"> & { fault: Fault | null }): Trace {
  return { ...rest, message: fault && fault.row.blame !== "client" ? fault.message : null };
}
