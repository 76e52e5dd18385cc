// The trace of a request as its row has it.
import type { Fault } from "../core/fault.ts";
import type { Trace } from "../core/trace.ts";

/** Mistakes of the client's need no message. */
export function writeTrace({ fault, ...rest }: Omit<Trace, "message"> & { fault: Fault | null }): string {
  const message = fault && fault.row.blame !== "client" ? fault.message : null;
  const trace: Trace = { ...rest, message };
  return JSON.stringify(trace);
}
