// The sizes of a SQLite store's files, and the space that is left on their disk.
import { statfsSync, statSync } from "node:fs";
import type { StoreSize } from "../../core/store.ts";

/** Returns the sizes, all 0 for a database in memory or a file that is gone. */
export function measureFiles(file: string | null): StoreSize {
  if (file === null) return { parts: { database: 0, log: 0 }, freeBytes: null, backedUpAtMs: null };
  const parts = { database: readSize(file), log: readSize(`${file}-wal`) };
  const backedUpAtMs = statSync(nameBackupMark(file), { throwIfNoEntry: false })?.mtimeMs ?? null;
  return { parts, freeBytes: readFree(file), backedUpAtMs };
}

/** Returns the name of the file whose time is that of the store's last good backup. */
export function nameBackupMark(file: string): string {
  return `${file}.backed-up`;
}

function readSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readFree(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}
