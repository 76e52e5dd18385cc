// The changes that `poundkey setup` makes on disk: each is whole or not there, whenever the process ends.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const FOLDER_MODE = 0o700;

/** Every effect on files, so that a test can stop before any of them. */
export interface Disk {
  makeFolder(path: string): void;
  /** Writes a new file and waits until it is on disk. An earlier one of that name goes. */
  create(path: string, bytes: Uint8Array, mode: number): void;
  /** Waits until the new name is on disk. */
  rename(from: string, to: string): void;
  /** Does nothing if there is no such file. */
  remove(path: string): void;
  /** Does nothing unless the folder is there, and empty. */
  removeFolder(path: string): void;
}

export const DISK: Disk = {
  makeFolder: (path) => mkdirSync(path, { mode: FOLDER_MODE }),
  create(path, bytes, mode) {
    rmSync(path, { force: true });
    const file = openSync(path, "wx", mode);
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(file, bytes, written, bytes.length - written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // The process's mask may have taken bits away that the file had.
    chmodSync(path, mode);
  },
  rename(from, to) {
    renameSync(from, to);
    const folder = openSync(dirname(to), "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  },
  remove: (path) => rmSync(path, { force: true }),
  removeFolder(path) {
    try {
      rmdirSync(path);
    } catch {
      // It holds something of the person's.
    }
  },
};

/** Returns the file that is written before it takes the place of another. One that a killed run left behind is replaced. */
export function nameNext(path: string): string {
  return join(dirname(path), `.${basename(path)}.poundkey-next`);
}

/** Replaces a file at once. If it fails, the file is as it was. */
export function replaceFile(disk: Disk, path: string, bytes: Uint8Array, mode: number): void {
  const next = nameNext(path);
  try {
    disk.create(next, bytes, mode);
    disk.rename(next, path);
  } catch (error) {
    disk.remove(next);
    throw error;
  }
}

const UNWRITTEN: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk's quota is used up",
  EROFS: "the disk is read-only",
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
};

/** Says why a file couldn't be written. */
export function describeUnwritten(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return ("code" in thrown ? UNWRITTEN[String(thrown.code)] : undefined) ?? thrown.message;
}
