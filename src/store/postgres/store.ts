// The store on PostgreSQL or a compatible engine, for any number of nodes.
import { randomBytes } from "node:crypto";
import type { Decide } from "../../core/decision.ts";
import type { Reads } from "../../core/demand.ts";
import { LastingError } from "../../core/faults/lasting-error.ts";
import type { Store, StoreSize } from "../../core/store.ts";
import { findAddressMistake } from "../../core/world/postgres-address.ts";
import { NoStoreError, redactAddress } from "../engine/address.ts";
import { bind } from "../engine/engine.ts";
import { addDemand, answerDry } from "../engine/waiting.ts";
import { engineMethods } from "../methods.ts";
import { OlderNodesError } from "../schema/older-nodes.ts";
import type { Schema } from "../schema/schema-step.ts";
import { Batches } from "./batches.ts";
import { Dialer, type LookUp } from "./dialer.ts";
import { CONNECTIONS_MAX, explainUnopened } from "./failures.ts";
import { makePostgresSchema, migrate, retryStartup } from "./migrations.ts";
import { endNode, findOrphans, listDead, makeHeart } from "./nodes.ts";
import { pieceRows } from "./pieces.ts";
import { Pool } from "./pool.ts";
import { composeReading } from "./reading.ts";
import { requestMethods } from "./requests.ts";
import { findTraits } from "./traits.ts";

const PATIENCE_MS = 3000;
const CLOSE_MS = 1000;
const NODE_BYTES = 8;
const WRITTEN = Promise.resolve();

interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, with options such as `?sslmode=…`, and with several hosts if need be. */
  readonly url: string;
  /** Returns the address as it is at this moment, for each new connection. Null if it can't be read. */
  readonly readUrl?: (() => string | null) | undefined;
  /** Finds the addresses of a host. Default: the system's resolver. */
  readonly lookUp?: LookUp;
  readonly decide: Decide;
  /** If false, throws a NoStoreError if the database holds no store yet. */
  readonly create?: boolean;
  /** True if a migration may end the support for programs whose nodes run. */
  readonly stopsOlder?: boolean;
  /** Called once a server answers, before the migration. */
  readonly onReached?: (() => void) | undefined;
  /** The longest that a call waits for the database before it fails. Default: 3 s. */
  readonly patienceMs?: number;
  /** The most connections, each opened when it is needed. Default: 10. */
  readonly connections?: number;
  /** The PostgreSQL schema whose tables are meant, for a copy. If missing, the database decides. */
  readonly searchPath?: string;
  /** The schema that this program knows. Tests add steps to it. */
  readonly schema?: Schema<readonly string[]>;
  /** The connections to a store that is migrated, which stay open behind it. Tests open hundreds of stores on them. */
  readonly pool?: Pool;
}

/**
 * Opens the store and migrates it. Throws an Error that says what is wrong, but not the credentials: a StoreAwayError if the
 * same may soon succeed, a LastingError if it can't.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { decide, patienceMs = PATIENCE_MS, schema = makePostgresSchema() } = options;
  const pool = options.pool ?? (await openPool({ ...options, schema }, patienceMs));
  const node = `node_${randomBytes(NODE_BYTES).toString("hex")}`;
  // A new connection to a distributed engine first contacts each machine; if cut short, the next one starts over.
  const writeShare = pool.traits.isDistributed ? 0.4 : 0.2;
  const bounds = { workMs: patienceMs * 0.5, writeMs: patienceMs * writeShare };
  const batches = new Batches({ pool, decide, waitMs: patienceMs * 0.5, bounds });
  let clockAheadMs = 0;
  const heart = makeHeart(pool, node, schema.version, (aheadMs) => {
    clockAheadMs = aheadMs;
  });
  const read = async (reads: Reads) => {
    const { queries, rowsOf } = composeReading([reads], "none", pool.traits.isDistributed);
    return rowsOf(await pool.readSnapshot(queries));
  };
  return {
    node,
    transact: (demand) => addDemand(heart, batches, demand),
    // An acknowledged commit is on disk already, unless the operator has disabled that in the database.
    durable: () => WRITTEN,
    look: async (demand) => answerDry(decide, await read(demand.reads), demand),
    read,
    clockAheadMs: () => clockAheadMs,
    beat: heart.beat,
    orphans: (most, running, noting) => findOrphans(pool, node, most, running, noting),
    listDead: (nodes) => listDead(pool, node, nodes),
    measure: () => measure(pool),
    findDamage: async () => null,
    ...engineMethods(pool, pieceRows(pool)),
    ...requestMethods(pool),
    ready: () => heart.admit(() => checkReady(pool)),
    close: async () => {
      await batches.drain();
      // If the database is gone, the other nodes notice the silence.
      await endNode(pool, node).catch(() => {});
      if (options.pool === undefined) await pool.close(CLOSE_MS);
    },
  };
}

/** Changes no row, but fails on a read-only server. */
const TOUCH = bind("UPDATE node SET beat_at = beat_at WHERE id = ''");
/** Contacts every machine that holds accounts. */
const COUNT_HOLDS = bind("SELECT count(*) FROM hold");

const MEASURE = bind("SELECT pg_database_size(current_database())::float8 AS bytes");

/** On a distributed store, the size is the coordinator's own. */
async function measure(pool: Pool): Promise<StoreSize> {
  const [found] = await pool.run(MEASURE);
  return { parts: { database: Number(found?.bytes ?? 0) }, freeBytes: null, backedUpAtMs: null };
}

async function checkReady(pool: Pool): Promise<readonly string[]> {
  await pool.probe(TOUCH);
  if (!pool.traits.isDistributed) return [];
  try {
    await pool.probe(COUNT_HOLDS);
    return [];
  } catch {
    return ["a database node doesn't answer; requests of its accounts are refused"];
  }
}

type OpenOptions = PostgresStoreOptions & Required<Pick<PostgresStoreOptions, "schema">>;

async function openPool(
  { url, readUrl, lookUp, schema, connections = CONNECTIONS_MAX, searchPath, ...rules }: OpenOptions,
  patienceMs: number,
): Promise<Pool> {
  const { create = true, stopsOlder = false, onReached } = rules;
  checkAddress(url);
  const dialer = new Dialer({ url, readUrl, lookUp });
  let pool: Pool | null = null;
  try {
    const traits = await retryStartup(() => findTraits(dialer, patienceMs));
    onReached?.();
    pool = new Pool(dialer, traits, { patienceMs, connections, searchPath });
    if (await migrate(pool, schema, { create, stopsOlder })) return pool;
    throw new NoStoreError(redactAddress(url));
  } catch (error) {
    await pool?.close(0);
    if (error instanceof NoStoreError || error instanceof OlderNodesError) throw error;
    throw explainUnopened(redactAddress(url), error);
  }
}

/** The error must not quote the address: it may contain a password. */
function checkAddress(url: string): void {
  const mistake = findAddressMistake(url);
  if (mistake === null) return;
  throw new LastingError(
    `The store's postgres:// address is malformed: ${mistake}. In the user name and password, encode / : @ ? # % as %2F %3A %40 %3F %23 %25.`,
  );
}
