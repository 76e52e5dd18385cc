// The traits of the server behind an address that the store has to act on: a pooler in front of it, shards behind it.

import { SQL } from "bun";
import { bind } from "../engine.ts";
import type { Query } from "./connection.ts";
import { LateError, readSqlState } from "./failures.ts";

export interface Traits {
  /**
   * True if a connection keeps what was set at its start. A pooler in transaction mode gives each transaction to whichever
   * of its own connections is free, so that there every transaction has to set its own.
   */
  readonly keepsSettings: boolean;
  /** True if the server can spread tables over several machines by their account. */
  readonly isDistributed: boolean;
}

export type Settings = Readonly<Record<string, string>>;

/** A node that stands still between reading and writing must not hold an account's lock for longer. */
const IDLE_IN_TRANSACTION_MS = 5000;
const CONNECT_MS = 1000;
const PROBE_MS = 5000;
/** A protocol violation: this is how poolers refuse settings that they don't know. */
const UNKNOWN_SETTING = "08P01";
const APPLICATION = { application_name: "poundkey" };

/** The bounds on each statement and each lock, for a caller that has so much time in all. */
export function makeTimeouts(patienceMs: number): Settings {
  return {
    statement_timeout: String(patienceMs),
    lock_timeout: String(Math.round(patienceMs / 2)),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
  };
}

/** The settings of a transaction, in one statement. */
export function setForTransaction(settings: Settings): Query {
  const calls = Object.keys(settings).map((name, at) => `set_config('${name}', $${at + 1}::text, true)`);
  return bind(`SELECT ${calls.join(", ")}`, ...Object.values(settings));
}

export interface ClientOptions {
  readonly settings: Settings;
  readonly max: number;
  readonly idleSeconds: number;
  /** Left out, the address decides. */
  readonly prepare?: boolean;
}

/** Connects to nothing yet. Throws when the address is malformed. */
export function makeClient(url: string, { settings, max, idleSeconds, prepare }: ClientOptions): SQL {
  return new SQL(url, {
    // Given apart as well, because PGDATABASE in the environment would win over the address.
    ...readDatabase(url),
    ...(prepare === undefined ? {} : { prepare }),
    max,
    connectionTimeout: CONNECT_MS / 1000,
    idleTimeout: idleSeconds,
    connection: { ...APPLICATION, ...settings },
  });
}

/**
 * Statements are prepared only where they will be found again. A pooler that knows prepared statements (PgBouncer from
 * 1.21 on) is announced by `prepare=true` in the address.
 */
export function mayPrepare(url: string, { keepsSettings }: Traits): boolean | undefined {
  if (keepsSettings || new URL(url).searchParams.has("prepare")) return undefined;
  return false;
}

/** Asks the server. Throws the database's errors. */
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
