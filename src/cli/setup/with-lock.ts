// One `poundkey setup` at a time: the folder's lock is held by a process, and free when that ends. Its file goes then.
import { closeSync, fstatSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { holdFile } from "../../store/sqlite/node-lock.ts";
import type { Disk } from "./disk.ts";
import { clearBegun, type Journal, readJournal, type SetupFolder } from "./journal.ts";
import { RefusedError } from "./read-settings.ts";
import { listMissing } from "./record.ts";

/** Calls `use` with the journal while no other process does so. Throws a RefusedError if one does. */
export function withLock<Result>(disk: Disk, folder: SetupFolder, use: (journal: Journal) => Result): Result {
  for (const path of listMissing(folder.root)) disk.makeFolder(path);
  const release = holdLock(join(folder.root, "setup.lock"));
  if (release === null)
    throw new RefusedError("another poundkey setup is running: try again once it has ended");
  try {
    const journal = readJournal(folder);
    clearBegun(disk, folder, journal);
    return use(journal);
  } finally {
    release();
  }
}

const FILE_MODE = 0o600;

/** Returns what lets go of the lock and removes its file. Null if another process holds it. */
function holdLock(path: string): (() => void) | null {
  for (;;) {
    // While this is open, no other file has its number. Closing it earlier would end the lock.
    const known = openSync(path, "a", FILE_MODE);
    const release = holdFile(path);
    const end = () => {
      release?.();
      closeSync(known);
    };
    if (release === null) {
      end();
      return null;
    }
    // Another run may have removed the file that this one holds, and a third hold the next.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(known).ino) {
      end();
      continue;
    }
    return () => {
      rmSync(path, { force: true });
      end();
    };
  }
}
