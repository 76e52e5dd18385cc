// Keeps a connection to the SQLite file: waits for locks, drops a failed connection and reopens it at the next use.

import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../../core/faults/fault.ts";
import { CommitError, type UnusableError, unavailable } from "../engine/unavailable.ts";
import type { Schema } from "../schema/schema-step.ts";
import { asDamage, type Connection, connect, IN_MEMORY, isLocked, isRefusal } from "./connection.ts";
import type { MigrationHooks } from "./migrate.ts";

const LOCK_POLL_MS = 4;
/** A check reads the whole file, and a damaged one rarely mends. */
const CHECK_AGAIN_MS = 10_000;

/** The result of work that has to wait for another process. */
export const LOCKED = Symbol("locked");

interface ConnectorOptions extends MigrationHooks {
  readonly path: string;
  readonly schema: Schema<string>;
  /** The bytes that a database in memory begins with. */
  readonly image?: Uint8Array | undefined;
  /** The longest wait for another process's lock. */
  readonly lockWaitMs: number;
  /** Called with each new connection: rows cached before can't be trusted. */
  readonly onConnect: () => void;
}

export class Connector {
  readonly #options: ConnectorOptions;
  #connection: Connection | null = null;
  #create = true;
  #closed = false;
  /** True after a failed sync: the file must be checked before it is used again. */
  #suspect = false;
  /** True if something failed since the file was last proved writable. */
  #inDoubt = false;
  /** The damage that was found in the file as it was then, and when the same file may be checked again. */
  #damage: { readonly error: UnusableError; readonly file: string; readonly checkAtMs: number } | null = null;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /**
   * Runs the work, retrying while another process holds the lock. Throws the Fault `store_unavailable` if the store
   * can't be used, and whatever else the work throws. `sinceMs` is when the work arrived, if not just now: its wait for
   * a lock includes the time spent queued behind others.
   */
  async run<T>(work: (connection: Connection) => T, sinceMs = Date.now()): Promise<T> {
    const giveUpAtMs = sinceMs + this.#options.lockWaitMs;
    for (;;) {
      const result = this.runNow(work, Date.now() >= giveUpAtMs);
      if (result !== LOCKED) return result;
      await Bun.sleep(LOCK_POLL_MS);
    }
  }

  /** Runs the work as `run` does, but once: returns `LOCKED` if another process holds the lock, unless it `isLast`. */
  runNow<T>(work: (connection: Connection) => T, isLast = false): T | typeof LOCKED {
    try {
      return work(this.#current());
    } catch (error) {
      if (isLocked(error) && !isLast) return LOCKED;
      throw this.#judge(error);
    }
  }

  /**
   * Throws the Fault `store_unavailable` unless the file can be locked and, if in doubt, written. Health checks are
   * public, so they write only if needed.
   */
  async ready(): Promise<void> {
    await this.run((connection) =>
      this.#inDoubt ? connection.rewrite() : connection.write(() => undefined),
    );
    this.#inDoubt = false;
  }

  /** Drops the connection; the file must be reopened and checked before it is used again. */
  distrust(): void {
    this.#suspect = true;
    this.#inDoubt = true;
    this.#drop();
  }

  close(): void {
    this.#closed = true;
    this.#drop();
  }

  /** Returns the error to throw for the given one, and drops the connection unless it is sound. */
  #judge(error: unknown): unknown {
    const damage = asDamage(error);
    if (damage !== null) return this.#condemn(damage);
    if (this.#connection !== null && isRefusal(error) && !(error instanceof CommitError)) return error;
    this.#drop();
    this.#inDoubt = true;
    return error instanceof Fault ? error : unavailable(error);
  }

  /** The file is used again only once a check passes. */
  #condemn(error: UnusableError): Fault {
    this.distrust();
    if (error !== this.#damage?.error) {
      const file = stampFile(this.#options.path);
      this.#damage = { error, file, checkAtMs: Date.now() + CHECK_AGAIN_MS };
    }
    return unavailable(error);
  }

  #current(): Connection {
    if (this.#closed) throw unavailable("The store is closed.");
    if (this.#damage !== null && Date.now() < this.#damage.checkAtMs) {
      if (stampFile(this.#options.path) === this.#damage.file) throw this.#damage.error;
    }
    if (this.#connection && !this.#connection.isInPlace()) this.#drop();
    this.#connection ??= this.#open();
    return this.#connection;
  }

  #open(): Connection {
    const { path, schema, image, onStep, checkEnd, onConnect } = this.#options;
    if (this.#create) makeFile(path);
    const connection = connect(path, { create: this.#create, schema, image, onStep, checkEnd });
    try {
      if (this.#suspect) connection.verify();
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#suspect = false;
    this.#damage = null;
    // A store that disappears comes back only with its file: an empty one in its place would know no keys.
    this.#create = false;
    onConnect();
    return connection;
  }

  #drop(): void {
    try {
      this.#connection?.close();
    } catch {
      // It has failed already, which is why it is dropped.
    }
    this.#connection = null;
  }
}

/** Differs once the file is written or replaced. */
function stampFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs}` : "";
}

/** Creates the database file and its folder, readable by this user only. SQLite's other files get the same mode. */
function makeFile(path: string): void {
  if (path === IN_MEMORY) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}
