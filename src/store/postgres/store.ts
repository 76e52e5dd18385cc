// The store on PostgreSQL, or on an engine that speaks its language, for as many nodes as wanted.
import { randomBytes } from "node:crypto";
import type { Decide } from "../../core/demand.ts";
import type { Store } from "../../core/store.ts";
import { NoStoreError, withoutUser } from "../address.ts";
import { bind } from "../engine.ts";
import { engineMethods } from "../methods.ts";
import { Batches } from "./batches.ts";

import { CONNECTIONS_MAX, inWords } from "./failures.ts";
import { migrate, persist } from "./migrations.ts";
import { endNode, nodeMethods } from "./nodes.ts";
import { Pool } from "./pool.ts";
import { composeReading } from "./reading.ts";
import { requestMethods } from "./requests.ts";
import { findTraits, makeClient } from "./traits.ts";

const PATIENCE_MS = 3000;
const CLOSE_MS = 1000;
const NODE_BYTES = 8;

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, with `?sslmode=…` and the like. */
  readonly url: string;
  readonly decide: Decide;
  /** false: throws a NoStoreError where the database holds no store yet. */
  readonly create?: boolean;
  /** The longest wait of a call for the database before it fails; 3 s unless given. */
  readonly patienceMs?: number;
  /** The number of connections, all of which are opened at the first use; 10 unless given. */
  readonly connections?: number;
}

/** Opens the store and migrates it. Throws an Error that says what is wrong, and nothing of the address but its host. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { decide, patienceMs = PATIENCE_MS } = options;
  const pool = await openPool(options, patienceMs);
  const node = `node_${randomBytes(NODE_BYTES).toString("hex")}`;
  // A new connection to a distributed engine asks each machine before its first write; cut short, the next would be new again.
  const writeShare = pool.traits.isDistributed ? 0.4 : 0.2;
  const bounds = { workMs: patienceMs * 0.5, writeMs: patienceMs * writeShare };
  const batches = new Batches({ pool, decide, waitMs: patienceMs * 0.5, bounds });
  return {
    node,
    transact: (demand) => batches.add(demand),
    // A commit that was answered is on disk already, unless the operator has turned that off in the database.
    durable: async () => {},
    read: async (reads) => {
      const { queries, rowsOf } = composeReading(reads.accountId, [reads], false);
      return rowsOf(await pool.look(queries));
    },
    ...nodeMethods(pool, node),
    ...engineMethods(pool),
    ...requestMethods(pool),
    ready: () => checkReady(pool),
    close: async () => {
      await batches.drain();
      // If the database is gone, the other nodes notice the silence.
      await endNode(pool, node).catch(() => {});
      await pool.close(CLOSE_MS);
    },
  };
}

/** Changes no row, but a read-only server refuses it. */
const TOUCH = bind("UPDATE node SET beat_at = beat_at WHERE id = ''");
/** Asks every machine that holds accounts. */
const COUNT_HOLDS = bind("SELECT count(*) FROM hold");

async function checkReady(pool: Pool): Promise<readonly string[]> {
  await pool.probe(TOUCH);
  if (!pool.traits.isDistributed) return [];
  try {
    await pool.probe(COUNT_HOLDS);
    return [];
  } catch {
    return ["a machine of the database doesn't answer; its accounts are refused"];
  }
}

async function openPool(
  { url, create = true, connections = CONNECTIONS_MAX }: PostgresStoreOptions,
  patienceMs: number,
): Promise<Pool> {
  checkAddress(url);
  let pool: Pool | null = null;
  try {
    const traits = await persist(() => findTraits(url, patienceMs));
    pool = new Pool(url, patienceMs, traits, connections);
    if (await migrate(pool, create)) return pool;
    throw new NoStoreError(withoutUser(url));
  } catch (error) {
    await pool?.close(0);
    if (error instanceof NoStoreError) throw error;
    throw new Error(`The store ${withoutUser(url)} can't be opened: ${inWords(error)}.`, { cause: error });
  }
}

/** The mistake in an address is named without any of it: there may be a password in it. */
function checkAddress(url: string): void {
  try {
    makeClient(url, { settings: {}, max: 1, idleSeconds: 1 });
  } catch {
    throw new Error(
      "The store's postgres:// address is malformed. In a user's name and password, characters like / : @ ? # % are written as %2F %3A %40 %3F %23 %25.",
    );
  }
}
