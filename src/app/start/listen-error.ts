// Describes why a server can't listen on an address.

/** Returns the error for people: with the address, and without a stack. */
export function describeListenError(
  { host, port }: { readonly host: string; readonly port: number },
  error: unknown,
): Error {
  return new Error(`can't listen on ${host}:${port}: ${error instanceof Error ? error.message : error}`);
}
