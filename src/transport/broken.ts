// Recognizes errors of `fetch` for broken or failed connections by their codes.
import { Fault } from "../core/fault.ts";
import type { FaultDetails } from "../core/fault-details.ts";

/**
 * Codes of connections that failed before anything was sent: unknown host, refused connection, untrusted certificate.
 */
const CONNECT_FAILURE =
  /^(ConnectionRefused|FailedToOpenSocket|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|EADDRNOTAVAIL|EPROTO)$|CERT|^ERR_TLS_/;

export function makeConnectionFault(cause: unknown, how: Pick<FaultDetails, "unsent" | "stale"> = {}): Fault {
  const message = "The provider could not be reached or broke the connection.";
  return new Fault("upstream_error", message, { cause, upstream: { cause: nameCause(cause) }, ...how });
}

/** The ways in which a connection fails, by the system's, the resolver's and the TLS library's codes. */
const CAUSES: readonly (readonly [code: RegExp, words: string])[] = [
  [/^(ConnectionRefused|FailedToOpenSocket|ECONNREFUSED)$/, "connection refused"],
  [/^(ENOTFOUND|EAI_AGAIN|ENODATA)$|^DNS_/, "name not found"],
  [/^(ECONNRESET|ConnectionClosed|EPIPE)$/, "connection reset"],
  [/^(ETIMEDOUT|ConnectionTimeout|TimeoutError)$/, "timeout"],
  [/^(EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|EADDRNOTAVAIL)$/, "host not reachable"],
  [/CERT|ISSUER|SELF_SIGNED|^ERR_TLS_/, "certificate not accepted"],
  [/^EPROTO$/, "TLS handshake failed"],
];

/** Names how a connection failed, with the code that says so. The text of the error isn't used, since it may name a URL. */
function nameCause(error: unknown): string {
  const code = findCode(error);
  if (typeof code !== "string") return "connection broken";
  const words = CAUSES.find(([known]) => known.test(code))?.[1] ?? "connection broken";
  return `${words} (${code})`;
}

function findCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

export function isConnectionReset(error: unknown): boolean {
  return findCode(error) === "ECONNRESET";
}

/** True if the connection failed before anything was sent. */
export function isConnectFailure(error: unknown): boolean {
  return CONNECT_FAILURE.test(String(findCode(error)));
}

/** `fetch` and its bodies throw a TypeError, an Error with a system code, or a DOMException. */
export function isNetworkError(error: unknown): boolean {
  return typeof findCode(error) === "string" || error instanceof TypeError || error instanceof DOMException;
}
