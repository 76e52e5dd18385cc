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
    connection = connect(options.path, { create });
    if (suspect) connection.verify();
    suspect = false;
    // A store that was there and is gone comes back by its file: an empty one in its place would know no key.
    create = false;
    options.onConnect();
    return connection;
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
        throw error instanceof Fault ? error : unavailable(error);
      }
    }
  }

  return {
    run,
    distrust: () => {
      suspect = true;
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
