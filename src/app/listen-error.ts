// What is said of an address on which a server can't listen.

/** Returns the error for people: with the address, and without a stack. */
export function describeListenError(
  { host, port }: { readonly host: string; readonly port: number },
  error: unknown,
): Error {
  return new Error(`can't listen on ${host}:${port}: ${error instanceof Error ? error.message : error}`);
}
