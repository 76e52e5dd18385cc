// The traits of a database server that the store adapts to: a pooler in front of it, shards behind it.

import { SQL } from "bun";
import { bind } from "../engine.ts";
import type { Query } from "./connection.ts";
import { LateError, readSqlState } from "./failures.ts";

export interface Traits {
  /**
   * True if a connection keeps its startup settings. A pooler in transaction mode runs each transaction on any free
   * connection, so every transaction must set its own.
   */
  readonly keepsSettings: boolean;
  /** True if the server can distribute tables over several machines by account. */
  readonly isDistributed: boolean;
}

type Settings = Readonly<Record<string, string>>;

/** A node that hangs between reading and writing must not hold an account's lock for longer. */
const IDLE_IN_TRANSACTION_MS = 5000;
const CONNECT_MS = 1000;
const PROBE_MS = 5000;
/** A protocol violation: poolers refuse unknown settings with it. */
const UNKNOWN_SETTING = "08P01";
const APPLICATION = { application_name: "poundkey" };

/** Returns the timeouts of each statement and lock for a caller's overall time limit. */
export function makeTimeouts(patienceMs: number): Settings {
  return {
    statement_timeout: String(patienceMs),
    lock_timeout: String(Math.round(patienceMs / 2)),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
  };
}

/** Sets a transaction's settings in one statement. */
export function setForTransaction(settings: Settings): Query {
  const calls = Object.keys(settings).map((name, at) => `set_config('${name}', $${at + 1}::text, true)`);
  return bind(`SELECT ${calls.join(", ")}`, ...Object.values(settings));
}

interface ClientOptions {
  readonly settings: Settings;
  readonly max: number;
  readonly idleSeconds: number;
  /** If missing, the address decides. */
  readonly prepare?: boolean;
}

/** Connects lazily. Throws if the address is malformed. */
export function makeClient(url: string, { settings, max, idleSeconds, prepare }: ClientOptions): SQL {
  return new SQL(url, {
    // Also passed separately, because PGDATABASE in the environment would override the address.
    ...readDatabase(url),
    ...(prepare === undefined ? {} : { prepare }),
    max,
    connectionTimeout: CONNECT_MS / 1000,
    idleTimeout: idleSeconds,
    connection: { ...APPLICATION, ...settings },
  });
}

/**
 * Prepares statements only if later ones will find them. `prepare=true` in the address declares a pooler that supports
 * prepared statements (PgBouncer since 1.21).
 */
export function mayPrepare(url: string, { keepsSettings }: Traits): boolean | undefined {
  if (keepsSettings || new URL(url).searchParams.has("prepare")) return undefined;
  return false;
}

/** Queries the server. Throws the database's errors. */
export async function findTraits(url: string, patienceMs: number): Promise<Traits> {
  const timeouts = makeTimeouts(patienceMs);
  try {
    const { idle, distributed } = await ask(url, timeouts);
    const given = Number(timeouts.idle_in_transaction_session_timeout);
    return { keepsSettings: idle === given, isDistributed: distributed };
  } catch (error) {
    if (readSqlState(error) !== UNKNOWN_SETTING) throw error;
    const { distributed } = await ask(url, {});
    return { keepsSettings: false, isDistributed: distributed };
  }
}

const ASKED = `
  SELECT (SELECT setting FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout') AS idle,
    (SELECT count(*) FROM pg_extension WHERE extname = 'citus') AS citus`;

async function ask(url: string, settings: Settings) {
  const client = makeClient(url, { settings, max: 1, idleSeconds: 0, prepare: false });
  const late = new LateError(`The database did not answer within ${PROBE_MS} ms.`);
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late), PROBE_MS);
  try {
    const [found] = await Promise.race([client.unsafe(ASKED).execute(), promise]);
    return { idle: Number(found?.idle), distributed: Number(found?.citus) > 0 };
  } finally {
    clearTimeout(timer);
    await client.close({ timeout: 0 }).catch(() => {});
  }
}

function readDatabase(url: string): { database: string } | object {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  return database === "" ? {} : { database };
}
