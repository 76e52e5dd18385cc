// The pieces of files in a folder beside the database: a folder for each account, one in it for each object, and in that a
// file for each piece. They don't pass the database, whose one writer decides on requests.
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { PieceStore, StoredObject } from "../../core/batches/file.ts";
import { unavailable } from "../engine/unavailable.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Returns the folder of a database's files. Databases that lie side by side share none. */
export function nameFilesFolder(database: string): string {
  return join(dirname(database), "files", basename(database));
}

export function nameObjectFolder(database: string, accountId: string, object: string): string {
  return join(nameFilesFolder(database), encodeName(accountId), encodeName(object));
}

/** Keeps pieces in a folder, which is made with the first of them. */
export function pieceFolder(database: string): PieceStore {
  const root = nameFilesFolder(database);
  const placeObject = (accountId: string, object: string) => nameObjectFolder(database, accountId, object);
  let drafts = 0;
  return {
    write: (accountId, object, number, sealed) =>
      orUnavailable(async () => {
        const folder = placeObject(accountId, object);
        const draft = join(folder, `draft-${process.pid}-${++drafts}`);
        try {
          if (!(await writeSynced(draft, sealed))) {
            await makeFolder(folder, dirname(database));
            if (!(await writeSynced(draft, sealed))) throw new Error(`The folder ${folder} is gone.`);
          }
          await rename(draft, join(folder, String(number)));
        } catch (error) {
          await rm(draft, { force: true });
          throw error;
        }
        await syncFolder(folder);
      }),
    read: (accountId, object, number) =>
      orUnavailable(() => orNull(readFile(join(placeObject(accountId, object), String(number))))),
    remove: (accountId, object, numbers) =>
      orUnavailable(async () => {
        const folder = placeObject(accountId, object);
        const gone = numbers?.map((number) => join(folder, String(number))) ?? [folder];
        for (const path of gone) await rm(path, { recursive: true, force: true });
      }),
    listBefore: (beforeMs) => orUnavailable(() => listBefore(root, beforeMs)),
    measureDisk: async () => {
      const { bavail, blocks, bsize } = await statfs(dirname(database));
      return { freeBytes: bavail * bsize, bytes: blocks * bsize };
    },
  };
}

interface PiecesInMemory extends PieceStore {
  /** Writes all of them to another store. */
  copyTo(other: Pick<PieceStore, "write">): Promise<void>;
}

/** Keeps pieces as long as the database in memory. */
export function piecesInMemory(): PiecesInMemory {
  const objects = new Map<string, StoredObject & { readonly pieces: Map<number, Uint8Array> }>();
  const key = (accountId: string, object: string) => JSON.stringify([accountId, object]);
  return {
    async write(accountId, object, number, sealed) {
      const at = key(accountId, object);
      const found = objects.get(at) ?? { accountId, object, pieces: new Map() };
      found.pieces.set(number, sealed.slice());
      objects.set(at, found);
    },
    // A copy, since the reader may free it.
    read: async (accountId, object, number) =>
      objects.get(key(accountId, object))?.pieces.get(number)?.slice() ?? null,
    async remove(accountId, object, numbers) {
      const at = key(accountId, object);
      if (numbers === undefined) objects.delete(at);
      else for (const number of numbers) objects.get(at)?.pieces.delete(number);
    },
    // Nothing in memory outlives the process that wrote it.
    listBefore: async () => [],
    measureDisk: async () => null,
    async copyTo(other) {
      for (const { accountId, object, pieces } of objects.values())
        for (const [number, sealed] of pieces) await other.write(accountId, object, number, sealed);
    },
  };
}

/** Any name as that of a file: an account's id can't lead out of the folder. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll(".", "%2E");
}

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}

/** Null if there is no such file. */
async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** The names of new folders are synced too: a power failure would lose a synced file whose folder is lost. */
async function makeFolder(folder: string, upTo: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let at = folder; at.length >= upTo.length; at = dirname(at)) {
    await syncFolder(at);
    if (at === dirname(first)) return;
  }
}

/** Returns false if there is no such folder yet. */
async function writeSynced(path: string, bytes: Uint8Array): Promise<boolean> {
  const file = await orNull(open(path, "wx", FILE_MODE));
  if (file === null) return false;
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, "r");
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** A folder's time changes with each piece that is written into it. */
async function listBefore(root: string, beforeMs: number): Promise<readonly StoredObject[]> {
  const old: StoredObject[] = [];
  for (const account of (await orNull(readdir(root))) ?? []) {
    for (const object of (await orNull(readdir(join(root, account)))) ?? []) {
      const found = await orNull(stat(join(root, account, object)));
      if (found === null || found.mtimeMs >= beforeMs) continue;
      old.push({ accountId: decodeURIComponent(account), object: decodeURIComponent(object) });
    }
  }
  return old;
}
