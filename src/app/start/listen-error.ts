// Describes why a server can't listen on an address.
import { asObject } from "../../core/json/json.ts";

/** Returns the error for people: with the address, and without a stack. */
export function describeListenError(
  { host, port }: { readonly host: string; readonly port: number },
  error: unknown,
): Error {
  if (asObject(error).code === "EADDRINUSE") return new Error(describePortInUse(port));
  return new Error(`can't listen on ${host}:${port}: ${error instanceof Error ? error.message : error}`);
}

const FREE = "any free one";

function describePortInUse(port: number): string {
  return `port ${port} is in use: choose another with --port N (0: ${FREE})`;
}
