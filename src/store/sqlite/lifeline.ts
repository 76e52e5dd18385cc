// Keeps a connection to the SQLite file: waits for locks, drops a connection that failed, opens it again at the next use.

import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../../core/fault.ts";
import { CommitError, unavailable } from "../unavailable.ts";
import { type Connection, connect, IN_MEMORY, isLocked, isRefusal } from "./connection.ts";

const LOCK_POLL_MS = 4;

export interface LifelineOptions {
  readonly path: string;
  /** The longest wait for another process's lock. */
  readonly lockWaitMs: number;
  /** Called with each new connection: nothing remembered of the one before may be trusted. */
  readonly onConnect: () => void;
}

export class Lifeline {
  readonly #options: LifelineOptions;
  #connection: Connection | null = null;
  #create = true;
  #closed = false;
  /** A sync failed: the file has to be found sound before it is used again. */
  #suspect = false;
  /** Something failed since it was last proved that the file can be written. */
  #inDoubt = false;

  constructor(options: LifelineOptions) {
    this.#options = options;
  }

  /**
   * Runs the work, again after waiting while another process holds the lock. Throws the Fault `store_unavailable` when
   * the store can't be used, and whatever else the work throws. `sinceMs` is when the work came, if not just now: behind
   * a lock that stays nobody waits for longer because others waited before.
   */
  async run<T>(work: (connection: Connection) => T, sinceMs = Date.now()): Promise<T> {
    const giveUpAtMs = sinceMs + this.#options.lockWaitMs;
    for (;;) {
      try {
        return work(this.#current());
      } catch (error) {
        if (isLocked(error) && Date.now() < giveUpAtMs) {
          await Bun.sleep(LOCK_POLL_MS);
          continue;
        }
        if (this.#connection !== null && isRefusal(error) && !(error instanceof CommitError)) throw error;
        this.#drop();
        this.#inDoubt = true;
        throw error instanceof Fault ? error : unavailable(error);
      }
    }
  }

  /**
   * Throws the Fault `store_unavailable` unless the file can be locked; and written, while that is in doubt. Anybody may
   * ask, so nothing is written without need.
   */
  async ready(): Promise<void> {
    await this.run((connection) =>
      this.#inDoubt ? connection.rewrite() : connection.write(() => undefined),
    );
    this.#inDoubt = false;
  }

  /** Trusts nothing any more until the file was opened again and found sound. */
  distrust(): void {
    this.#suspect = true;
    this.#inDoubt = true;
    this.#drop();
  }

  close(): void {
    this.#closed = true;
    this.#drop();
  }

  #current(): Connection {
    if (this.#closed) throw unavailable("The store is closed.");
    if (this.#connection && !this.#connection.isInPlace()) this.#drop();
    this.#connection ??= this.#open();
    return this.#connection;
  }

  #open(): Connection {
    const { path, onConnect } = this.#options;
    if (this.#create) makeFile(path);
    const connection = connect(path, { create: this.#create });
    try {
      if (this.#suspect) connection.verify();
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#suspect = false;
    // A store that was there and is gone comes back by its file: an empty one in its place would know no key.
    this.#create = false;
    onConnect();
    return connection;
  }

  #drop(): void {
    try {
      this.#connection?.close();
    } catch {
      // It failed already, which is why it is dropped.
    }
    this.#connection = null;
  }
}

/** The database file and its folder, for this user's eyes only; SQLite gives the files beside it the same mode. */
function makeFile(path: string): void {
  if (path === IN_MEMORY) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}
