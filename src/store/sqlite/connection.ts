// One open connection to the SQLite file: settings, statements, transactions, and whether the file is in place.

import { Database, SQLiteError } from "bun:sqlite";
import { statSync } from "node:fs";
import { CommitError, UnusableError } from "../engine/unavailable.ts";
import type { Schema } from "../schema/schema-step.ts";
import { type MigrationHooks, migrate, readOldestSupported, readVersion } from "./migrate.ts";
import { prepareStatements, type Statements } from "./statements.ts";

export const IN_MEMORY = ":memory:";

/**
 * SQLite's own wait for another process's lock. Short, because it blocks the event loop: the longer, non-blocking wait
 * is in `connector.ts`.
 */
const LOCK_BLOCKS_MS = 10;
const JOURNAL_BYTES_KEPT = 64 * 1024 * 1024;
/**
 * `checkpoints.ts` checkpoints the log long before this: a commit only has to if that thread doesn't keep up, as behind a
 * transaction that imports a million rows.
 */
const LOG_PAGES_MAX = 32_000;
/**
 * Half of SQLite's default: if pages of a tree move, a commit walks through every cached page. With a million keys a
 * request costs a twentieth less than with twice this size; with ten keys it makes no difference.
 */
const CACHE_KB = 1000;

/**
 * WAL lets readers run beside the one writer. With `synchronous = NORMAL` a commit survives a killed process, and only
 * a power failure can undo the latest ones. If that matters, `durability.ts` syncs the log for many at once.
 */
const PRAGMAS = [
  "page_size = 2048",
  "journal_mode = WAL",
  "synchronous = NORMAL",
  // On macOS alone, where a sync else ends in the disk's cache.
  "fullfsync = ON",
  "checkpoint_fullfsync = ON",
  `cache_size = -${CACHE_KB}`,
  `journal_size_limit = ${JOURNAL_BYTES_KEPT}`,
  `wal_autocheckpoint = ${LOG_PAGES_MAX}`,
  // A name that is erased leaves no bytes in what is free from then on.
  "secure_delete = ON",
];

export interface Connection {
  readonly sql: Statements;
  /** Runs the work as one transaction that excludes other writers from its start, so its reads stay valid. */
  write<T>(work: () => T): T;
  /** False if the file was removed or replaced: SQLite would go on writing to the old one without an error. */
  isInPlace(): boolean;
  /** Runs reads on one snapshot. */
  readSnapshot<T>(work: () => T): T;
  /** Rewrites the same bytes, to prove that the file is writable. */
  rewrite(): void;
  /** Returns how many pages of the log are not in the database file yet. */
  countLogPages(): number;
  /** Checkpoints the whole log and checks the file's integrity. Throws if the file is damaged. */
  verify(): void;
  /** Returns what is damaged in the file, in SQLite's words. Null if nothing is. */
  findDamage(): string | null;
  /** Writes the whole database to an empty file. */
  writeTo(path: string): void;
  /** Returns the lowest version of the schema that a program must know to use the file. */
  readOldestSupported(): number;
  close(): void;
}

interface ConnectOptions extends MigrationHooks {
  readonly create: boolean;
  readonly schema: Schema<string>;
  /** The bytes that a database in memory begins with. */
  readonly image?: Uint8Array | undefined;
}

/** Opens the database and migrates it. Throws SQLite's error, or an Error that says why the file is refused. */
export function connect(path: string, options: ConnectOptions): Connection {
  refuseEmptied(path, options);
  const { create, image } = options;
  const database = image
    ? Database.deserialize(image, { strict: true })
    : new Database(path, { readwrite: true, create, strict: true });
  try {
    database.run(`PRAGMA busy_timeout = ${LOCK_BLOCKS_MS}`);
    for (const pragma of PRAGMAS) database.run(`PRAGMA ${pragma}`);
    migrate(database, options.schema, options);
    // Only now: a migration may rebuild a table that others refer to.
    database.run("PRAGMA foreign_keys = ON");
    const sql = prepareStatements(database);
    const opened = fileId(path);
    return {
      sql,
      write: (work) => runTransaction(database, sql, work),
      isInPlace: () => fileId(path) === opened,
      rewrite: () => runTransaction(database, sql, () => rewrite(database)),
      countLogPages: () => countLogPages(database),
      readSnapshot: (work) => runTransaction(database, sql, work, sql.beginReads),
      verify: () => verify(database),
      findDamage: () => findDamage(database),
      writeTo: (file) => void database.run("VACUUM INTO ?", [file]),
      readOldestSupported: () => readOldestSupported(database),
      close: () => database.close(true),
    };
  } catch (error) {
    database.close(true);
    throw error;
  }
}

/**
 * An empty file knows no keys, so it must not replace one that existed. SQLite would also delete the log beside it,
 * which may hold everything that the lost file lacks.
 */
function refuseEmptied(path: string, { create }: { readonly create: boolean }): void {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (path === IN_MEMORY || sizeOf(path) > 0) return;
  if (!create) throw new Error("the database file is missing or empty");
  if (sizeOf(`${path}-wal`) > 0) {
    throw new Error("the database file is missing or empty, but its log (-wal) exists");
  }
}

const QUIETLY = { throwIfNoEntry: false } as const;

function fileId(path: string): string | null {
  if (path === IN_MEMORY) return IN_MEMORY;
  const stats = statSync(path, QUIETLY);
  return stats ? `${stats.dev} ${stats.ino}` : null;
}

/** SQLite writes this page even if the value is unchanged, unlike a row. */
function rewrite(database: Database): void {
  database.run(`PRAGMA user_version = ${readVersion(database)}`);
}

function countLogPages(database: Database): number {
  const found = database
    .query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)")
    .get();
  return found ? found.log - found.checkpointed : 0;
}

function verify(database: Database): void {
  database.run("PRAGMA synchronous = FULL");
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const damage = findDamage(database);
  if (damage !== null) throw makeDamageError(damage);
  database.run("PRAGMA synchronous = NORMAL");
}

function findDamage(database: Database): string | null {
  const found = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
  if (found?.quick_check === "ok") return null;
  // The first line only names the database.
  return found?.quick_check.split("\n").at(-1) ?? "no answer";
}

/** For the operator: SQLite's own words, and what helps. */
function makeDamageError(words: string): UnusableError {
  return new UnusableError(
    `the file is damaged (${words.trim()}); stop the gateway, move the file away, and put a backup in its place with \`poundkey restore FILE\``,
  );
}

/** Returns the error of a damaged file, or null if the error says nothing of the kind. */
export function asDamage(error: unknown): UnusableError | null {
  if (error instanceof UnusableError) return error;
  const isDamage = error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code ?? "");
  return isDamage ? makeDamageError(error.message) : null;
}

function runTransaction<T>(database: Database, sql: Statements, work: () => T, begin = sql.begin): T {
  begin.run();
  let result: T;
  try {
    result = work();
  } catch (error) {
    // Some failures (a full disk) have rolled back already.
    if (database.inTransaction) sql.rollback.run();
    throw error;
  }
  try {
    sql.commit.run();
  } catch (error) {
    throw new CommitError("The commit failed.", { cause: error });
  }
  return result;
}

/** True if another connection holds the lock, so that waiting helps. */
export function isLocked(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code ?? "");
}

/** True if only the data was refused and the connection is sound. Any other SQLite error puts it in doubt. */
export function isRefusal(error: unknown): boolean {
  return (
    !(error instanceof SQLiteError) || /^SQLITE_(CONSTRAINT|MISMATCH|RANGE|TOOBIG)/.test(error.code ?? "")
  );
}
