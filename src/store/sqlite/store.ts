// The store on one SQLite file, which several processes may share.
import { existsSync, realpathSync } from "node:fs";
import type { Decide } from "../../core/demand.ts";
import type { Store } from "../../core/store.ts";
import { engineMethods } from "../methods.ts";
import { Batches } from "./batches.ts";
import { Checkpoints } from "./checkpoints.ts";
import { IN_MEMORY } from "./connection.ts";
import { Connector } from "./connector.ts";
import { LogSync } from "./durability.ts";
import { makeEngine } from "./engine.ts";
import { NodeLock } from "./node-lock.ts";
import { requestMethods } from "./requests.ts";
import { RowCache } from "./row-cache.ts";

/** The default for the longest wait for another process's lock. */
export const LOCK_WAIT_MS = 5000;
const NODE_BYTES = 8;

interface SqliteStoreOptions {
  /** The database file, created if missing. `:memory:` for a database that lives only as long as the store. */
  readonly path: string;
  readonly decide: Decide;
  /** The longest wait for another process's lock before a call fails. Default: 5 s. */
  readonly lockWaitMs?: number;
}

/** Resolves symbolic links: SQLite keeps the log beside the target, and syncs and node locks must go there too. */
function resolveLink(path: string): string {
  return path !== IN_MEMORY && existsSync(path) ? realpathSync(path) : path;
}

/** Opens the store and migrates it. Throws an Error that says what is wrong with the file. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { decide, lockWaitMs = LOCK_WAIT_MS } = options;
  const path = resolveLink(options.path);
  const cache = new RowCache();
  const connector = new Connector({ path, lockWaitMs, onConnect: () => cache.clear() });
  try {
    await connector.run(() => undefined);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The store ${path} can't be opened: ${why}.`, { cause });
  }
  const node = `node_${crypto.getRandomValues(Buffer.alloc(NODE_BYTES)).toString("hex")}`;
  const file = path === IN_MEMORY ? null : path;
  const lock = new NodeLock(file, node);
  const checkpoints = file === null ? null : new Checkpoints(file, connector);
  const batches = new Batches(connector, cache, decide, () => checkpoints?.look());
  const engine = makeEngine(connector);
  const logSync = file === null ? null : new LogSync(file, connector);
  return {
    node,
    transact: (demand) => batches.add(demand),
    durable: async () => logSync?.sync(),
    read: (reads) =>
      connector.run((connection) =>
        connection.readSnapshot(() => new RowCache().rowsFor(connection.sql, [reads])),
      ),
    beat: async () => lock.acquire(),
    ...engineMethods(
      engine,
      makeEngine(connector, () => cache.clear()),
    ),
    ...requestMethods(connector, cache, engine, { file, node }),
    ready: async () => {
      await connector.ready();
      return [];
    },
    close: async () => {
      await batches.drain();
      checkpoints?.close();
      connector.close();
      lock.release();
    },
  };
}
