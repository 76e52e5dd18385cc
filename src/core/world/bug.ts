// The log's line about a bug of the gateway's own, which clients only learn of.
import { Fault, toFault } from "../faults/fault.ts";
import type { Log } from "./world.ts";

/** Logs a failure with its place in the code, if it is a bug. */
export function logBug({ log }: { readonly log: Log }, thrown: unknown): void {
  if (toFault(thrown).code === "internal_error")
    log({ event: "internal_error", level: "error", cause: describeBug(thrown) });
}

function describeBug(thrown: unknown): string {
  const cause = thrown instanceof Fault ? thrown.details.cause : undefined;
  // A call to a provider fails with a fault in the bug's place, and the bug's own words may quote what the call holds.
  if (cause instanceof Error) return `${cause.name}${listFrames(cause)}`;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** Returns the lines of a stack that name places. */
function listFrames({ stack = "" }: Error): string {
  const at = stack.indexOf("\n    at ");
  return at === -1 ? "" : stack.slice(at);
}
