// Real failures of a store's file: a full disk, a read-only file, a held lock, a missing file.
import { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const DISK = "16m";
const PIECE = Buffer.alloc(4096, "x");

/** A folder for a store, and a way to break it. */
export interface StoreFault {
  readonly folder: string;
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Removes the folder and everything else that the fault made. */
  remove(): void;
}

export interface FaultKind {
  readonly name: string;
  /** False if this machine or this user can't cause it. */
  readonly isPossible: boolean;
  make(): StoreFault;
}

const newFolder = () => mkdtempSync(join(tmpdir(), "poundkey-fault-"));

function succeeds(...command: readonly string[]): boolean {
  try {
    return Bun.spawnSync([...command], { stdout: "ignore", stderr: "ignore" }).exitCode === 0;
  } catch {
    return false;
  }
}

/** Tries something in a temporary folder. */
function isPossibleIn(attempt: (folder: string) => boolean): boolean {
  const folder = newFolder();
  const succeeded = attempt(folder);
  rmSync(folder, { recursive: true });
  return succeeded;
}

function mounted(folder: string): boolean {
  return succeeds("mount", "-t", "tmpfs", "-o", `size=${DISK}`, "tmpfs", folder);
}

/** A separate small disk, filled to the last byte. */
function fullDisk(): StoreFault {
  const folder = newFolder();
  mounted(folder);
  const filler = join(folder, "filler");
  return {
    folder,
    async begin() {
      const file = openSync(filler, "a");
      try {
        for (;;) writeSync(file, PIECE);
      } catch {
        // The disk is full.
      } finally {
        closeSync(file);
      }
    },
    async end() {
      rmSync(filler);
    },
    remove() {
      succeeds("umount", folder);
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * The kernel refuses every change to the database and its log, even through open descriptors. The index beside them
 * (`-shm`) is excluded: unlike on a disk turned read-only, a process that writes to an immutable file's mapped memory
 * is killed.
 */
function readOnlyFiles(): StoreFault {
  const folder = newFolder();
  const files = ["poundkey.db", "poundkey.db-wal"].map((name) => join(folder, name));
  const change = (mode: string) => succeeds("chattr", mode, ...files.filter((file) => existsSync(file)));
  return {
    folder,
    begin: async () => void change("+i"),
    end: async () => void change("-i"),
    remove() {
      change("-i");
      rmSync(folder, { recursive: true });
    },
  };
}

/** Another process has begun to write and doesn't finish. */
function heldLock(): StoreFault {
  const folder = newFolder();
  const script = join(import.meta.dir, "lock.process.ts");
  let holder: { readonly stdin: { end(): unknown }; readonly exited: Promise<number> } | null = null;
  const end = async () => {
    holder?.stdin.end();
    await holder?.exited;
    holder = null;
  };
  return {
    folder,
    async begin() {
      const child = Bun.spawn([process.execPath, script, join(folder, "poundkey.db")], {
        stdin: "pipe",
        stdout: "pipe",
      });
      holder = child;
      await child.stdout.getReader().read();
    },
    end,
    remove() {
      holder?.stdin.end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The database's file is moved away and later back. */
function missingFile(): StoreFault {
  const folder = newFolder();
  const path = join(folder, "poundkey.db");
  const elsewhere = join(folder, "elsewhere", "poundkey.db");
  mkdirSync(join(folder, "elsewhere"));
  return {
    folder,
    begin: async () => renameSync(path, elsewhere),
    end: async () => renameSync(elsewhere, path),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** The file is replaced by an empty one, as a failed copy leaves it. */
function emptiedFile(): StoreFault {
  const { folder, begin, end, remove } = missingFile();
  const path = join(folder, "poundkey.db");
  return {
    folder,
    async begin() {
      await begin();
      writeFileSync(path, "");
    },
    async end() {
      rmSync(path);
      await end();
    },
    remove,
  };
}

export const FAULTS: readonly FaultKind[] = [
  {
    name: "the disk is full",
    isPossible: isPossibleIn((folder) => mounted(folder) && succeeds("umount", folder)),
    make: fullDisk,
  },
  {
    name: "the files are read-only",
    isPossible: isPossibleIn(
      (folder) => succeeds("chattr", "+i", folder) && succeeds("chattr", "-i", folder),
    ),
    make: readOnlyFiles,
  },
  { name: "another process holds the lock", isPossible: true, make: heldLock },
  { name: "the file is gone", isPossible: true, make: missingFile },
  { name: "an empty file stands in its place", isPossible: true, make: emptiedFile },
];

/** Reads a store's file while the gateway uses it. */
export function looked<Found>(path: string, look: (database: Database) => Found): Found {
  const database = new Database(path, { readonly: true });
  try {
    return look(database);
  } finally {
    database.close();
  }
}
