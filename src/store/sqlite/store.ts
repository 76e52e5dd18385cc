// The store on one SQLite file, which other processes may use at the same moment.
import { existsSync, realpathSync } from "node:fs";
import type { Decide } from "../../core/demand.ts";
import type { Store } from "../../core/store.ts";
import { engineMethods } from "../methods.ts";
import { Batches } from "./batches.ts";
import { IN_MEMORY } from "./connection.ts";
import { Syncs } from "./durability.ts";
import { engineOn } from "./engine.ts";
import { Lifeline } from "./lifeline.ts";
import { NodeLock } from "./node-lock.ts";
import { requestMethods } from "./requests.ts";
import { RowCache } from "./row-cache.ts";

/** The longest wait for another process's lock, unless something else is said. */
export const LOCK_WAIT_MS = 5000;
const NODE_BYTES = 8;

export interface SqliteStoreOptions {
  /** The database's file, made if there is none; `:memory:` for one that lives as long as the store. */
  readonly path: string;
  readonly decide: Decide;
  /** The longest wait for another process's lock before a call fails; 5 s unless given. */
  readonly lockWaitMs?: number;
}

/** SQLite follows a link to the file and keeps the log beside what it leads to: so are the log's syncs and the nodes' locks. */
function followed(path: string): string {
  return path !== IN_MEMORY && existsSync(path) ? realpathSync(path) : path;
}

/** Opens the store and migrates it. Throws an Error that says what is wrong with the file. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { decide, lockWaitMs = LOCK_WAIT_MS } = options;
  const path = followed(options.path);
  const cache = new RowCache();
  const lifeline = new Lifeline({ path, lockWaitMs, onConnect: () => cache.clear() });
  try {
    await lifeline.run(() => undefined);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The store ${path} can't be opened: ${why}.`, { cause });
  }
  const node = `node_${crypto.getRandomValues(Buffer.alloc(NODE_BYTES)).toString("hex")}`;
  const file = path === IN_MEMORY ? null : path;
  const lock = new NodeLock(file, node);
  const batches = new Batches(lifeline, cache, decide);
  const engine = engineOn(lifeline);
  const syncs = file === null ? null : new Syncs(file, lifeline);
  return {
    node,
    transact: (demand) => batches.add(demand),
    durable: async () => syncs?.sync(),
    read: (reads) =>
      lifeline.run((connection) => connection.look(() => new RowCache().rowsFor(connection.sql, [reads]))),
    beat: async () => lock.take(),
    ...engineMethods(
      engine,
      engineOn(lifeline, () => cache.clear()),
    ),
    ...requestMethods(lifeline, cache, engine, { file, node }),
    ready: async () => {
      await lifeline.ready();
      return [];
    },
    close: async () => {
      await batches.drain();
      lifeline.close();
      lock.release();
    },
  };
}
