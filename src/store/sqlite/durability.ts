// Makes what was committed survive a power failure: one sync of the write-ahead log for all who wait, beside the event loop.
import { closeSync, fdatasync, openSync } from "node:fs";
import { unavailable } from "../unavailable.ts";
import { IN_MEMORY } from "./connection.ts";
import type { Lifeline } from "./lifeline.ts";

/** Commits within this time share one sync; every provider takes longer to begin its answer. */
const GATHERING_MS = 4;

export interface Durability {
  /** Resolves when everything committed before this call is on disk. Throws the Fault `store_unavailable`. */
  sync(): Promise<void>;
}

export function createDurability(path: string, lifeline: Lifeline): Durability {
  let gathering: Promise<void> | null = null;

  async function gather(): Promise<void> {
    await Bun.sleep(GATHERING_MS);
    // A commit from now on may be later than the sync has begun: it has the next one.
    gathering = null;
    try {
      await syncLog(path);
    } catch (error) {
      // The system may have forgotten what it could not write: only the file itself can tell what is there.
      lifeline.distrust();
      throw unavailable(error);
    }
  }

  return {
    sync: () => {
      if (path === IN_MEMORY) return Promise.resolve();
      gathering ??= gather();
      return gathering;
    },
  };
}

/** The log is opened again each time: a descriptor kept open would outlive a file that was replaced. */
function syncLog(path: string): Promise<void> {
  const log = openSync(`${path}-wal`, "r+");
  return new Promise((resolve, reject) => {
    fdatasync(log, (error) => {
      closeSync(log);
      if (error) reject(error);
      else resolve();
    });
  });
}
