// Keeps a connection to the SQLite file: waits for locks, drops a connection that failed, opens it anew at the next use.
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../../core/fault.ts";
import { CommitError, type Connection, connect, IN_MEMORY, isLocked, isRefusal } from "./connection.ts";

const LOCK_POLL_MS = 4;
const RETRY_AFTER_MS = 1000;

export interface Lifeline {
  /**
   * Runs the work, again after waiting while another process holds the lock. Throws the Fault `store_unavailable` when
   * the store can't be used, and whatever else the work throws.
   */
  run<T>(work: (connection: Connection) => T): Promise<T>;
  /** Throws the Fault `store_unavailable` unless the file can be locked, and written if anything failed of late. */
  ready(): Promise<void>;
  /** Trusts nothing any more until the file was opened again and found sound. */
  distrust(): void;
  close(): void;
}

export interface LifelineOptions {
  readonly path: string;
  /** How long a lock of another process is waited for. */
  readonly lockWaitMs: number;
  /** Called with each new connection: nothing remembered of the one before may be trusted. */
  readonly onConnect: () => void;
}

export function createLifeline(options: LifelineOptions): Lifeline {
  let connection: Connection | null = null;
  let create = true;
  let closed = false;
  let suspect = false;
  /** Something failed since it was last proved that the file can be written. */
  let inDoubt = false;

  function drop(): void {
    try {
      connection?.close();
    } catch {
      // It failed already, which is why it is dropped.
    }
    connection = null;
  }

  function current(): Connection {
    if (closed) throw unavailable("The store is closed.");
    if (connection && !connection.isInPlace()) drop();
    if (connection) return connection;
    if (create) makeFile(options.path);
    connection = opened();
    suspect = false;
    // A store that was there and is gone comes back by its file: an empty one in its place would know no key.
    create = false;
    options.onConnect();
    return connection;
  }

  function opened(): Connection {
    const fresh = connect(options.path, { create });
    try {
      if (suspect) fresh.verify();
      return fresh;
    } catch (error) {
      fresh.close();
      throw error;
    }
  }

  async function run<T>(work: (connection: Connection) => T): Promise<T> {
    const giveUpAtMs = Date.now() + options.lockWaitMs;
    for (;;) {
      try {
        return work(current());
      } catch (error) {
        if (isLocked(error) && Date.now() < giveUpAtMs) {
          await Bun.sleep(LOCK_POLL_MS);
          continue;
        }
        if (connection !== null && isRefusal(error) && !(error instanceof CommitError)) throw error;
        drop();
        inDoubt = true;
        throw error instanceof Fault ? error : unavailable(error);
      }
    }
  }

  /** Who asks may be anybody: only while the file is in doubt, for which a lock proves nothing, is anything written. */
  async function ready(): Promise<void> {
    await run((current) => (inDoubt ? current.rewrite() : current.write(() => undefined)));
    inDoubt = false;
  }

  return {
    run,
    ready,
    distrust: () => {
      suspect = true;
      inDoubt = true;
      drop();
    },
    close: () => {
      closed = true;
      drop();
    },
  };
}

/** The database file and its folder, for this user's eyes only; SQLite gives the files beside it the same mode. */
function makeFile(path: string): void {
  if (path === IN_MEMORY) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** What a caller is told of a store that can't be used. */
export function unavailable(cause: unknown): Fault {
  const message = "The gateway's store can't be used right now. Please try again shortly.";
  const details = { retryAfterMs: RETRY_AFTER_MS, cause };
  const unknown = cause instanceof CommitError ? { outcomeUnknown: true as const } : {};
  return new Fault("store_unavailable", message, { ...details, ...unknown });
}
