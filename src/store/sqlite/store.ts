// The store on one SQLite file, which several processes may share.
import { closeSync, existsSync, openSync, realpathSync } from "node:fs";
import type { Decide } from "../../core/decision.ts";
import { filterOlder } from "../../core/live-nodes.ts";
import type { Store } from "../../core/store.ts";
import { Heart } from "../engine/heart.ts";
import { addDemand, answerDry } from "../engine/waiting.ts";
import { engineMethods } from "../methods.ts";
import { OlderNodesError } from "../schema/older-nodes.ts";
import type { Schema } from "../schema/schema-step.ts";
import { Batches } from "./batches.ts";
import { Checkpoints } from "./checkpoints.ts";
import { IN_MEMORY } from "./connection.ts";
import { Connector } from "./connector.ts";
import { LogSync, QuietSync } from "./durability.ts";
import { makeEngine } from "./engine.ts";
import { measureFiles } from "./measure.ts";
import { makeSqliteSchema } from "./migrate.ts";
import { listNodes, makeNodeId, NodeLock } from "./node-lock.ts";
import { pieceFolder, piecesInMemory } from "./pieces.ts";
import { sqlitePrograms } from "./programs.ts";
import { requestMethods } from "./requests.ts";
import { RowCache } from "./row-cache.ts";
import { SlowReads } from "./slow-reads.ts";
import type { Statements } from "./statements.ts";

/** The default for the longest wait for another process's lock. */
export const LOCK_WAIT_MS = 5000;
const NODE_BYTES = 8;
/** A database in memory doesn't survive a power failure, and nobody waits for it. */
const WRITTEN = Promise.resolve();

interface SqliteStoreOptions {
  /** The database file, created if missing. `:memory:` for a database that lives only as long as the store. */
  readonly path: string;
  /** The new file that a database in memory is written to when it is closed. */
  readonly savedTo?: string;
  readonly decide: Decide;
  /** The longest wait for another process's lock before a call fails. Default: 5 s. */
  readonly lockWaitMs?: number;
  /** The schema that this program knows. Tests add steps to it. */
  readonly schema?: Schema<string>;
  /** The bytes that a database in memory begins with. Tests open thousands that are migrated already. */
  readonly image?: Uint8Array;
  /** Called after each step of a migration. */
  readonly onStep?: () => void;
  /** True if a migration may end the support for programs whose nodes run. */
  readonly stopsOlder?: boolean;
}

/** Resolves symbolic links: SQLite keeps the log beside the target, and syncs and node locks must go there too. */
function resolveLink(path: string): string {
  return path !== IN_MEMORY && existsSync(path) ? realpathSync(path) : path;
}

/** Opens the store and migrates it. Throws an Error that says what is wrong with the file. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { decide, savedTo, schema = makeSqliteSchema() } = options;
  const path = resolveLink(options.path);
  const cache = new RowCache();
  const connector = makeConnector({ ...options, path, schema }, cache);
  await checkOpening(connector, path);
  const node = makeNodeId(schema.version, crypto.getRandomValues(Buffer.alloc(NODE_BYTES)).toString("hex"));
  const file = path === IN_MEMORY ? null : path;
  const lock = new NodeLock(file, node);
  const checkpoints = file === null ? null : new Checkpoints(file, connector);
  const logSync = file === null ? null : new LogSync(file, connector);
  const quietSync = logSync && new QuietSync(() => logSync.sync());
  const look = () => checkpoints?.look();
  const batches = new Batches(connector, cache, decide, () => {
    look();
    quietSync?.note();
  });
  const slowReads = file === null ? null : new SlowReads(file);
  const truncateLog = async () => checkpoints?.truncate() ?? true;
  const parts = { slowReads, onWrite: look, truncateLog, programs: sqlitePrograms(file) };
  const { engine, ofRows, ofAccounts } = makeEngines(connector, cache, parts);
  const heart = makeHeart(connector, lock, schema.version);
  const unsaved = piecesInMemory();
  return {
    node,
    transact: (demand) => addDemand(heart, batches, demand),
    durable: () => logSync?.sync() ?? WRITTEN,
    ...readMethods(connector, cache, decide),
    clockAheadMs: () => null,
    beat: heart.beat,
    measure: async () => measureFiles(file),
    findDamage: () => connector.run((connection) => connection.findDamage()),
    ...engineMethods(engine, file === null ? unsaved : pieceFolder(file), ofRows, ofAccounts),
    ...requestMethods(connector, cache, engine, { file, node }),
    ready: () =>
      heart.admit(async () => {
        await connector.ready();
        return [];
      }),
    close: async () => {
      await batches.drain();
      checkpoints?.close();
      slowReads?.close();
      quietSync?.stop();
      if (savedTo !== undefined) await save(connector, unsaved, savedTo);
      connector.close();
      lock.release();
    },
  };
}

/** Copies a database in memory to a file that only this user may read. */
async function save(
  connector: Connector,
  pieces: ReturnType<typeof piecesInMemory>,
  path: string,
): Promise<void> {
  closeSync(openSync(path, "wx", 0o600));
  await connector.run((connection) => connection.writeTo(path));
  await pieces.copyTo(pieceFolder(path));
}

function makeConnector(
  {
    path,
    schema,
    image,
    onStep,
    stopsOlder = false,
    lockWaitMs = LOCK_WAIT_MS,
  }: SqliteStoreOptions & Required<Pick<SqliteStoreOptions, "schema">>,
  cache: RowCache,
): Connector {
  const checkEnd = (version: number) => {
    const older = stopsOlder || path === IN_MEMORY ? [] : filterOlder(listNodes(path), version);
    if (older.length > 0) throw new OlderNodesError(older);
  };
  return new Connector({ path, schema, image, onStep, checkEnd, lockWaitMs, onConnect: () => cache.clear() });
}

async function checkOpening(connector: Connector, path: string): Promise<void> {
  try {
    await connector.run(() => undefined);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    if (cause instanceof OlderNodesError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The store ${path} can't be opened: ${why}.`, { cause });
  }
}

/** `ofRows` is for changes to rows that the cache may hold, `ofAccounts` for those to accounts alone. */
function makeEngines(connector: Connector, cache: RowCache, parts: Parameters<typeof makeEngine>[1]) {
  return {
    engine: makeEngine(connector, parts),
    ofRows: makeEngine(connector, { ...parts, onChange: () => cache.clear() }),
    ofAccounts: makeEngine(connector, { ...parts, onChange: () => cache.forgetAccounts() }),
  };
}

/** Rows to display are read past the cache: a list of keys would drive out those that decisions depend on. */
function readMethods(connector: Connector, cache: RowCache, decide: Decide): Pick<Store, "look" | "read"> {
  const onSnapshot = <T>(work: (sql: Statements) => T) =>
    connector.run(({ readSnapshot, sql }) => readSnapshot(() => work(sql)));
  return {
    look: (demand) => onSnapshot((sql) => answerDry(decide, cache.rowsFor(sql, [demand]), demand)),
    read: (reads) => onSnapshot((sql) => new RowCache().rowsFor(sql, [{ reads }])),
  };
}

/** The lock shows that the process lives, so a beat only has to take it once, and to look at the schema. */
function makeHeart(connector: Connector, lock: NodeLock, version: number): Heart {
  const beat = async () => {
    lock.acquire();
    const oldestSupported = await connector.run((connection) => connection.readOldestSupported());
    return { oldestSupported, olderNodes: [] };
  };
  return new Heart({ version, beat, aliveMs: Number.POSITIVE_INFINITY });
}
