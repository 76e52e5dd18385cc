// Migrates the schema of the PostgreSQL store: steps only go forward, and the first node to start takes them.
import { filterOlder } from "../../core/live-nodes.ts";
import { type FoundRow, readInteger } from "../columns/found.ts";
import { bind } from "../engine/engine.ts";
import { recordMigration } from "../engine/migrated.ts";
import { OlderNodesError } from "../schema/older-nodes.ts";
import { explainUnsupported, makeSchema, type Schema, type Step } from "../schema/schema-step.ts";
import { STEPS } from "../schema/steps.ts";
import type { Connection, Query } from "./connection.ts";
import { isConflict, LateError, readSqlState } from "./failures.ts";
import { type Pool, pauseBriefly } from "./pool.ts";
import { LIVE_NODES, readLiveNode } from "./programs.ts";
import { renderStep } from "./render-step.ts";
import { FIRST_STEPS } from "./schema.ts";

const CONNECT_MS = 5000;
/** Others wait as long for a node that migrates, and try again. */
const LOCK_MS = 60_000;
/** A step that moves the rows of a large store takes minutes. */
const STEP_MS = 3_600_000;
const TRIES_MAX = 100;

/** Nodes that start at the same moment queue up for this table's only row. */
const VERSION_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_version (one BIGINT PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL)`;
const VERSION_ROW = "INSERT INTO schema_version (one, version) VALUES (1, 0) ON CONFLICT (one) DO NOTHING";
/** Tables from before this column lack it until they are migrated. */
const OLDEST_COLUMN =
  "ALTER TABLE schema_version ADD COLUMN IF NOT EXISTS oldest_supported BIGINT NOT NULL DEFAULT 0";
export const VERSION = `
  SELECT version, coalesce(to_jsonb(schema_version) ->> 'oldest_supported', '0') AS oldest_supported
  FROM schema_version WHERE one = 1`;
const SET_VERSION = "UPDATE schema_version SET version = $1, oldest_supported = $2 WHERE one = 1";

/**
 * Step n makes version n + 1. A released step is never changed: a change is a new step. Each can be resumed from
 * anywhere, because not every engine runs a step atomically.
 */
export function makePostgresSchema(shared: readonly Step[] = STEPS): Schema<readonly string[]> {
  return makeSchema(FIRST_STEPS, shared, renderStep);
}

/**
 * Migrates the schema, unless another node has taken it further. False if the database holds no store and none is made.
 * Throws if this program is too old for it, and an OlderNodesError.
 */
export function migrate(
  pool: Pool,
  schema: Schema<readonly string[]>,
  rules: MigrationRules,
): Promise<boolean> {
  return retryStartup(() => pool.use(CONNECT_MS, (connection) => migrateOn(connection, schema, rules)));
}

interface MigrationRules {
  /** False if only a store that is there is migrated. */
  readonly create: boolean;
  /** True if it may end the support for programs whose nodes run. */
  readonly stopsOlder: boolean;
}

/** Retries while other starting nodes or a starting server interfere. */
export async function retryStartup<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isRace(error) || tries === TRIES_MAX) throw error;
      await pauseBriefly();
    }
  }
}

async function migrateOn(
  connection: Connection,
  schema: Schema<readonly string[]>,
  { create, stopsOlder }: MigrationRules,
): Promise<boolean> {
  const send = (...queries: readonly Query[]) => connection.send(queries, LOCK_MS);
  const known = await versionIfAny(send, schema);
  if (known >= schema.version) return true;
  if (known === 0 && !create) return false;
  await send(bind(VERSION_TABLE));
  await send(bind(OLDEST_COLUMN));
  await send(bind(VERSION_ROW));
  while (!(await takeSteps(connection, schema, known, stopsOlder)));
  return true;
}

/** Takes all steps of a new store, and one of another, in a transaction. Returns true after the last one. */
async function takeSteps(
  connection: Connection,
  schema: Schema<readonly string[]>,
  from: number,
  stopsOlder: boolean,
): Promise<boolean> {
  const patience = bind(`SET LOCAL statement_timeout = ${STEP_MS}`);
  const [, found] = await connection.begin([patience, bind(`${VERSION} FOR UPDATE`)], LOCK_MS);
  const version = readVersion(found?.[0] ?? {}, schema);
  const next = version === 0 ? schema.version : Math.min(version + 1, schema.version);
  const supported = readInteger(found?.[0] ?? {}, "oldest_supported");
  const oldestSupported = Math.max(supported, schema.oldestSupported);
  if (version > 0 && oldestSupported > supported && !stopsOlder) await checkEnd(connection, oldestSupported);
  for (const step of schema.steps.slice(version, next).flat()) await connection.send([bind(step)], STEP_MS);
  const moved = () => [
    bind(SET_VERSION, next, oldestSupported),
    ...(next === schema.version ? recordMigration((position) => `$${position}`, from, next) : []),
  ];
  // Another node may have taken the schema further.
  await connection.commit(version < schema.version ? moved() : [], STEP_MS);
  return next >= schema.version;
}

/** Throws if live nodes have programs that know less than this version of the schema. */
async function checkEnd(connection: Connection, version: number): Promise<void> {
  const [nodes = []] = await connection.send([bind(LIVE_NODES)], LOCK_MS);
  const older = filterOlder(nodes.map(readLiveNode), version);
  if (older.length > 0) throw new OlderNodesError(older);
}

/** Checked first, because a node's user may not be allowed to create tables. */
async function versionIfAny(
  send: (query: Query) => Promise<readonly (readonly FoundRow[])[]>,
  schema: Schema<readonly string[]>,
): Promise<number> {
  try {
    const [found] = await send(bind(VERSION));
    const [row] = found ?? [];
    // Another node is creating it at the same time.
    return row ? readVersion(row, schema) : 0;
  } catch (error) {
    if (readSqlState(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

const UNDEFINED_TABLE = "42P01";

/** Throws if the program is too old for the store. */
function readVersion(row: FoundRow, { version }: Schema<readonly string[]>): number {
  const reason = explainUnsupported(version, readInteger(row, "oldest_supported"));
  if (reason !== null) throw new Error(reason);
  return readInteger(row, "version");
}

/** True for the errors of nodes that start at the same moment, and of a server that is still starting. */
function isRace(error: unknown): boolean {
  const state = readSqlState(error) ?? "";
  return (
    isConflict(error) || /^(23505|42P07|42710|57014|57P03|XX000)$/.test(state) || error instanceof LateError
  );
}
