// The thread that copies the write-ahead log into the database file, and waits for the disk where nobody waits for it.
import { Database, SQLiteError } from "bun:sqlite";

declare const self: Worker;

export interface CheckpointTask {
  readonly path: string;
  /** True if the log is to be emptied, so that no page from before is left in it. */
  readonly isTruncating: boolean;
}

/** The thread's message after each run. */
export interface CheckpointReport {
  readonly syncFailed: boolean;
  /** False if somebody still read the log. */
  readonly isDone: boolean;
}

/** The last step needs a moment in which no commit runs, which comes every few milliseconds. */
const TRIES = 20;
/** A reader holds the log for as long as its query runs. */
const TRUNCATE_TRIES = 100;
const TRUNCATE_WAIT_MS = 10;

self.onmessage = ({ data }: MessageEvent<CheckpointTask>) => postMessage(checkpoint(data));

/**
 * No writer waits for the first two steps, which copy everything but what is committed meanwhile. The last step copies
 * that little rest while no writer may add to it, so SQLite starts the log again. A failure only leaves the log longer.
 */
function checkpoint({ path, isTruncating }: CheckpointTask): CheckpointReport {
  try {
    using database = new Database(path, { readwrite: true, create: false });
    database.run("PRAGMA busy_timeout = 0");
    database.run("PRAGMA checkpoint_fullfsync = ON");
    const run = (mode: "PASSIVE" | "FULL" | "TRUNCATE") =>
      database.query<{ busy: number }, []>(`PRAGMA wal_checkpoint(${mode})`).get()?.busy === 0;
    run("PASSIVE");
    run("PASSIVE");
    const isDone = isTruncating
      ? repeat(() => run("TRUNCATE"), TRUNCATE_TRIES, TRUNCATE_WAIT_MS)
      : repeat(() => run("FULL"), TRIES, 1);
    return { syncFailed: false, isDone };
  } catch (error) {
    const syncFailed = error instanceof SQLiteError && error.code === "SQLITE_IOERR_FSYNC";
    return { syncFailed, isDone: false };
  }
}

function repeat(attempt: () => boolean, triesMax: number, waitMs: number): boolean {
  for (let tries = 0; tries < triesMax; tries++) {
    if (attempt()) return true;
    Bun.sleepSync(waitMs);
  }
  return false;
}
