// The thread that copies the write-ahead log into the database file, and waits for the disk where nobody waits for it.
import { Database, SQLiteError } from "bun:sqlite";

declare const self: Worker;

/** The thread's message after each run. */
export interface CheckpointReport {
  readonly syncFailed: boolean;
}

/** The last step needs a moment in which no commit runs, which comes every few milliseconds. */
const TRIES = 20;

self.onmessage = ({ data }: MessageEvent<string>) => {
  const report: CheckpointReport = { syncFailed: !checkpoint(data) };
  postMessage(report);
};

/**
 * No writer waits for the first two steps, which copy everything but what is committed meanwhile. The last step copies
 * that little rest while no writer may add to it, so SQLite starts the log again. Returns false if a sync failed; any
 * other failure only leaves the log longer.
 */
function checkpoint(path: string): boolean {
  try {
    using database = new Database(path, { readwrite: true, create: false });
    database.run("PRAGMA busy_timeout = 0");
    const run = (mode: "PASSIVE" | "FULL") =>
      database.query<{ busy: number }, []>(`PRAGMA wal_checkpoint(${mode})`).get()?.busy === 0;
    run("PASSIVE");
    run("PASSIVE");
    for (let tries = 0; tries < TRIES && !run("FULL"); tries++) Bun.sleepSync(1);
    return true;
  } catch (error) {
    return !(error instanceof SQLiteError && error.code === "SQLITE_IOERR_FSYNC");
  }
}
