// The words for a request that got no answer.

/**
 * Says that there was no connection, with the error's code if it has one. Never its message, which could quote the
 * address, and with it a secret.
 */
export function describeNoConnection(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? `no connection (${code})` : "no connection";
}
