// One `poundkey setup` at a time: the folder's lock is held by a process, and free when that ends.
import { join } from "node:path";
import { holdFile } from "../../store/sqlite/node-lock.ts";
import type { Disk } from "./disk.ts";
import { clearBegun, type Journal, readJournal, type SetupFolder } from "./journal.ts";
import { RefusedError } from "./read-settings.ts";
import { listMissing } from "./record.ts";

/** Calls `use` with the journal while no other process does so. Throws a RefusedError if one does. */
export function withLock<Result>(disk: Disk, folder: SetupFolder, use: (journal: Journal) => Result): Result {
  for (const path of listMissing(folder.root)) disk.makeFolder(path);
  const release = holdFile(join(folder.root, "setup.lock"));
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
