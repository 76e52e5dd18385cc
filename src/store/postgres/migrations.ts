// Migrates the schema of the PostgreSQL store: steps only go forward, and the first node to start takes them.

import { bind } from "../engine.ts";
import { readInteger } from "../found.ts";
import type { Connection, Query } from "./connection.ts";
import { isConflict, LateError, readSqlState } from "./failures.ts";
import { type Pool, pause } from "./pool.ts";
import { MIGRATIONS } from "./schema.ts";

const CONNECT_MS = 5000;
const STEP_MS = 60_000;
const TRIES_MAX = 100;

/** Nodes that start at the same moment queue up for this table's only row. */
const VERSION_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_version (one BIGINT PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL)`;
const VERSION_ROW = "INSERT INTO schema_version (one, version) VALUES (1, 0) ON CONFLICT (one) DO NOTHING";
const VERSION = "SELECT version FROM schema_version WHERE one = 1";

/**
 * Migrates the schema. False if the database holds no store and `create` is false. Throws if the schema is newer than
 * this program, which would misread it.
 */
export function migrate(pool: Pool, create: boolean): Promise<boolean> {
  return retryStartup(() => pool.use(CONNECT_MS, (connection) => migrateOn(connection, create)));
}

/** Retries while other starting nodes or a starting server interfere. */
export async function retryStartup<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isRace(error) || tries === TRIES_MAX) throw error;
      await pause();
    }
  }
}

async function migrateOn(connection: Connection, create: boolean): Promise<boolean> {
  const send = (...queries: readonly Query[]) => connection.send(queries, STEP_MS);
  const known = await versionIfAny(send);
  if (known === MIGRATIONS.length) return true;
  if (known === 0 && !create) return false;
  await send(bind(VERSION_TABLE));
  await send(bind(VERSION_ROW));
  const patience = bind(`SET LOCAL statement_timeout = ${STEP_MS}`);
  const [, found] = await connection.begin([patience, bind(`${VERSION} FOR UPDATE`)], STEP_MS);
  const version = readInteger(found?.[0] ?? {}, "version");
  checkKnown(version);
  const steps = MIGRATIONS.slice(version).flat();
  for (const step of steps) await send(bind(step));
  const now = bind("UPDATE schema_version SET version = $1 WHERE one = 1", MIGRATIONS.length);
  await connection.commit([now], STEP_MS);
  return true;
}

/** Checked first, because a node's user may not be allowed to create tables. */
async function versionIfAny(
  send: (asked: Query) => Promise<readonly (readonly object[])[]>,
): Promise<number> {
  try {
    const [found] = await send(bind(VERSION));
    const [row] = found ?? [];
    // Another node is creating it at the same time.
    if (!row) return 0;
    const version = readInteger({ ...row }, "version");
    checkKnown(version);
    return version;
  } catch (error) {
    if (readSqlState(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

const UNDEFINED_TABLE = "42P01";

function checkKnown(version: number): void {
  if (version <= MIGRATIONS.length) return;
  throw new Error(
    `it was written by a newer version of Poundkey (schema ${version}; this version supports up to ${MIGRATIONS.length})`,
  );
}

/** True for the errors of nodes that start at the same moment, and of a server that is still starting. */
function isRace(error: unknown): boolean {
  const state = readSqlState(error) ?? "";
  return (
    isConflict(error) || /^(23505|42P07|42710|57014|57P03|XX000)$/.test(state) || error instanceof LateError
  );
}
