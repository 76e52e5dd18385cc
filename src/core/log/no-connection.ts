// The words for a connection that failed, and for a request that got no answer.

/** The ways in which a connection fails, by the system's, the resolver's and the TLS library's codes. */
const CAUSES: readonly (readonly [code: RegExp, words: string])[] = [
  [/^(ConnectionRefused|FailedToOpenSocket|ECONNREFUSED)$/, "connection refused"],
  [/^(ENOTFOUND|EAI_AGAIN|ENODATA)$|^DNS_/, "name not found"],
  [/^(ECONNRESET|ConnectionClosed|EPIPE)$/, "connection reset"],
  [/^(ETIMEDOUT|ConnectionTimeout|TimeoutError)$/, "timeout"],
  [/^(EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|EADDRNOTAVAIL)$/, "host not reachable"],
  [
    /CERT|ISSUER|SELF_SIGNED|VERIFY_LEAF|^(HOSTNAME_MISMATCH|INVALID_CA)$|^ERR_TLS_/,
    "certificate not accepted",
  ],
  [/^EPROTO$/, "TLS handshake failed"],
  [/^ERR_PROXY_TUNNEL$/, "refused by the proxy"],
];
const CODE = /^\w{1,60}$/;

/**
 * Names how a connection failed, with the code that says so. The text of the error isn't used, since it may name a URL. Null
 * if it has no code.
 */
export function nameConnectionFailure(error: unknown): string | null {
  const code = readErrorCode(error);
  if (typeof code !== "string") return null;
  const words = CAUSES.find(([known]) => known.test(code))?.[1] ?? "connection broken";
  return `${words} (${code})`;
}

/** Says why a request got no answer: how its connection failed, that time was up, or the error's own words if it is another. */
export function describeUnanswered(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "timeout";
  return nameConnectionFailure(error) ?? error.message;
}

export function readErrorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Says that there was no connection, and how it failed if its error has a code. */
export function describeNoConnection(error: unknown): string {
  const code = readErrorCode(error);
  const isCode = typeof code === "string" && CODE.test(code);
  return isCode ? `no connection: ${nameConnectionFailure(error)}` : "no connection";
}
