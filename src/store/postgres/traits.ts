// The traits of a database server that the store adapts to: a pooler in front of it, shards behind it.

import { bind } from "../engine/engine.ts";
import type { ConnectionSettings } from "./client.ts";
import type { Query } from "./connection.ts";
import type { Dialer } from "./dialer.ts";
import { readSqlState } from "./failures.ts";

export interface PostgresTraits {
  /**
   * True if a connection keeps its startup settings. A pooler in transaction mode runs each transaction on any free
   * connection, so every transaction must set its own.
   */
  readonly keepsSettings: boolean;
  /** True if the server can distribute tables over several machines by account. */
  readonly isDistributed: boolean;
}

/** A node that hangs between reading and writing must not hold an account's lock for longer. */
const IDLE_IN_TRANSACTION_MS = 5000;
/** A protocol violation: poolers refuse unknown settings with it. */
const UNKNOWN_SETTING = "08P01";

/** Returns the timeouts of each statement and lock for a caller's overall time limit. */
export function makeTimeouts(patienceMs: number): ConnectionSettings {
  return {
    statement_timeout: String(patienceMs),
    lock_timeout: String(Math.round(patienceMs / 2)),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
  };
}

/** Sets a transaction's settings in one statement. */
export function setForTransaction(settings: ConnectionSettings): Query {
  const calls = Object.keys(settings).map((name, at) => `set_config('${name}', $${at + 1}::text, true)`);
  return bind(`SELECT ${calls.join(", ")}`, ...Object.values(settings));
}

/**
 * Prepares statements only if later ones will find them. `prepare=true` in the address declares a pooler that supports
 * prepared statements (PgBouncer since 1.21).
 */
export function mayPrepare(url: string, { keepsSettings }: PostgresTraits): boolean | undefined {
  if (keepsSettings || new URL(url).searchParams.has("prepare")) return undefined;
  return false;
}

/** Queries the server. Throws the database's errors. */
export async function findTraits(dialer: Dialer, patienceMs: number): Promise<PostgresTraits> {
  const timeouts = makeTimeouts(patienceMs);
  try {
    const { idle, distributed } = await askForTraits(dialer, timeouts);
    const given = Number(timeouts.idle_in_transaction_session_timeout);
    return { keepsSettings: idle === given, isDistributed: distributed };
  } catch (error) {
    if (readSqlState(error) !== UNKNOWN_SETTING) throw error;
    const { distributed } = await askForTraits(dialer, {});
    return { keepsSettings: false, isDistributed: distributed };
  }
}

const ASKED = `
  SELECT (SELECT setting FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout') AS idle,
    (SELECT count(*) FROM pg_extension WHERE extname = 'citus') AS citus`;

async function askForTraits(dialer: Dialer, settings: ConnectionSettings) {
  const [found = {}] = await dialer.ask(ASKED, settings);
  return { idle: Number(found.idle), distributed: Number(found.citus) > 0 };
}
