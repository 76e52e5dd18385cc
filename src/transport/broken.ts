// Recognizes errors of `fetch` for broken or failed connections by their codes.
import { Fault } from "../core/faults/fault.ts";
import type { FaultDetails } from "../core/faults/fault-details.ts";
import { nameConnectionFailure, readErrorCode } from "../core/log/no-connection.ts";

/**
 * Codes of connections that failed before anything was sent: unknown host, refused connection, untrusted certificate.
 */
const CONNECT_FAILURE =
  /^(ConnectionRefused|FailedToOpenSocket|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|EADDRNOTAVAIL|EPROTO|UNABLE_TO_VERIFY_LEAF_SIGNATURE|HOSTNAME_MISMATCH|INVALID_CA|ERR_PROXY_TUNNEL)$|CERT|^ERR_TLS_/;

export function makeConnectionFault(cause: unknown, how: Pick<FaultDetails, "unsent" | "stale"> = {}): Fault {
  const message = "The provider could not be reached or broke the connection.";
  return new Fault("upstream_error", message, {
    cause,
    upstream: { cause: nameConnectionFailure(cause) ?? "connection broken" },
    ...how,
  });
}

export function isConnectionReset(error: unknown): boolean {
  return readErrorCode(error) === "ECONNRESET";
}

/** True if the connection failed before anything was sent. */
export function isConnectFailure(error: unknown): boolean {
  return CONNECT_FAILURE.test(String(readErrorCode(error)));
}

/** `fetch` and its bodies throw a TypeError, an Error with a system code, or a DOMException. */
export function isNetworkError(error: unknown): boolean {
  return (
    typeof readErrorCode(error) === "string" || error instanceof TypeError || error instanceof DOMException
  );
}
