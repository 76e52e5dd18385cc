// Classifies database failures: whether a retry may help, who is to blame, and the fault that callers get.
import { SQL } from "bun";
import { CommitError } from "../unavailable.ts";

export const CONNECTIONS_MAX = 10;

/** The database did not answer in time, or no connection was available. */
export class LateError extends Error {}

/** The server's SQLSTATE; null when the failure is no answer of the server's. */
export function readSqlState(error: unknown): string | null {
  return error instanceof SQL.PostgresError && typeof error.errno === "string" ? error.errno : null;
}

/** 40xxx: serialization failures and deadlocks; 55P03: the lock was not had in time. Nothing was written. */
export function isConflict(error: unknown): boolean {
  return /^(40(?!003)|55P03)/.test(readSqlState(error) ?? "");
}

/** The database refused the data (a constraint, a number out of range), and would refuse it again. */
export function isRefusal(error: unknown): boolean {
  return /^2[123]/.test(readSqlState(error) ?? "");
}

/** The database or the connection failed, as opposed to a bad statement or a bug in the gateway. */
export function isTrouble(error: unknown): boolean {
  if (error instanceof CommitError || error instanceof LateError) return true;
  return error instanceof SQL.PostgresError && !isRefusal(error);
}

/** The connection had ended: closed by the server (57P01), or cut off. */
function isLost(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  return error.errno === "57P01" || error.code === "ERR_POSTGRES_CONNECTION_CLOSED";
}

const CONFLICTS_MAX = 20;
/** As many as there may be idle: that they have ended is often noticed only by using them, one after the other. */
const LOST_MAX = CONNECTIONS_MAX;

/** True if work that failed for certain is worth another try. */
export class Tries {
  readonly #failuresMax: number;
  #failures = 0;
  #conflicts = 0;
  #lost = 0;

  constructor(failuresMax: number) {
    this.#failuresMax = failuresMax;
  }

  mayGoOn(error: unknown): boolean {
    if (isConflict(error)) return ++this.#conflicts <= CONFLICTS_MAX;
    if (isLost(error)) return ++this.#lost <= LOST_MAX;
    return ++this.#failures < this.#failuresMax;
  }
}

/** For the operator. A server's own words name no password, and an address is never a part of what Bun says. */
export function inWords(error: unknown): string {
  const state = readSqlState(error);
  const message = error instanceof Error ? error.message : String(error);
  return state === null ? message : `${message} (${state})`;
}
