// Classifies database failures: whether a retry may help, what is to blame, and the error to report.
import { SQL } from "bun";
import { LastingError } from "../../core/faults/lasting-error.ts";
import { CommitError, StoreAwayError } from "../engine/unavailable.ts";

export const CONNECTIONS_MAX = 10;

/** The database did not answer in time, or no connection was available. */
export class LateError extends Error {}

/** No server could be used: its name has no address, or it doesn't answer, or only reads. */
export class UnreachableError extends Error {}

/** The server, or a file that its address names for TLS, isn't as the address says. */
export class UntrustedError extends UnreachableError {}

/** Returns the server's SQLSTATE. Null if the server did not answer. */
export function readSqlState(error: unknown): string | null {
  return error instanceof SQL.PostgresError && typeof error.errno === "string" ? error.errno : null;
}

/** 40xxx: serialization failures and deadlocks; 55P03: the lock was not available in time. Nothing was written. */
export function isConflict(error: unknown): boolean {
  return /^(40(?!003)|55P03)/.test(readSqlState(error) ?? "");
}

/** True if another transaction kept a row locked for longer than this one was to wait. */
export function isLockTimeout(error: unknown): boolean {
  return readSqlState(error) === "55P03";
}

/** True if the database refused the data (a constraint, a number out of range): a retry would fail too. */
function isRefusal(error: unknown): boolean {
  return /^2[123]/.test(readSqlState(error) ?? "");
}

/** True if the database or the connection failed, not a bad statement or a bug in the gateway. */
export function isOutage(error: unknown): boolean {
  if (error instanceof CommitError || error instanceof LateError || error instanceof UnreachableError)
    return true;
  return error instanceof SQL.PostgresError && !isRefusal(error);
}

/**
 * True if the server can't be used over this connection any more, and probably over no other that was opened before:
 * it is read-only since a failover (25006), shuts down (57P01 to 57P05), or no longer accepts the credentials (28xxx, from a
 * pooler). After these, some servers and poolers only answer that the transaction is aborted (25P02).
 */
export function isDeadServer(error: unknown): boolean {
  return /^(25006|25P02|57P0[1-5]|28...)$/.test(readSqlState(error) ?? "");
}

/** True if the server refused to write, as an old primary does after a failover. */
export function isReadOnly(error: unknown): boolean {
  return readSqlState(error) === "25006";
}

/** True if another attempt to connect may soon succeed: a refused or closed connection, or a server that starts or only reads. */
export function isPassing(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  if (!(error instanceof SQL.PostgresError)) return false;
  return error.code.startsWith("ERR_POSTGRES_CONNECTION_") || /^57P0[1-3]$/.test(readSqlState(error) ?? "");
}

/** True if the server knows no such user, or refuses the password or this address (28xxx). */
function isRefusedUser(error: unknown): boolean {
  return /^28/.test(readSqlState(error) ?? "");
}

/**
 * True if no server that can be written is there yet: none is reached, or it starts, stops, only reads, has no connection
 * left (53xxx), or its pooler reaches none (08xxx).
 */
function isAway(error: unknown): boolean {
  if (error instanceof UntrustedError || isRefusedUser(error)) return false;
  if (error instanceof LateError || error instanceof CommitError) return true;
  return isPassing(error) || isDeadServer(error) || /^(08|53)/.test(readSqlState(error) ?? "");
}

/** Returns the error for a store that can't be opened, of the class that says whether another attempt may succeed. */
export function explainUnopened(place: string, error: unknown): Error {
  const message = `The store ${place} can't be opened: ${describeError(error)}.`;
  if (isAway(error)) return new StoreAwayError(message, { cause: error });
  return new (isRefusedUser(error) ? LastingError : Error)(message, { cause: error });
}

/** True if the connection was closed by the server (57P01) or cut off. */
function isLost(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  return error.errno === "57P01" || error.code === "ERR_POSTGRES_CONNECTION_CLOSED";
}

const CONFLICTS_MAX = 20;
/** As many as may be idle: lost connections are often noticed only when used, one after the other. */
const LOST_MAX = CONNECTIONS_MAX;

/** Decides whether work that certainly failed is retried. */
export class RetryLimit {
  readonly #failuresMax: number;
  #failures = 0;
  #conflicts = 0;
  #lost = 0;

  constructor(failuresMax: number) {
    this.#failuresMax = failuresMax;
  }

  mayRetry(error: unknown): boolean {
    if (isConflict(error)) return ++this.#conflicts <= CONFLICTS_MAX;
    if (isLost(error)) return ++this.#lost <= LOST_MAX;
    return ++this.#failures < this.#failuresMax;
  }
}

/** Describes an error for the operator. Server messages contain no password, and Bun's never contain the address. */
export function describeError(error: unknown): string {
  const state = readSqlState(error);
  const message = error instanceof Error ? error.message : String(error);
  return state === null ? message : `${message} (${state})`;
}
