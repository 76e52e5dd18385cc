// Copies of the folder with a database's files, for backups and for what is restored from them.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { nameFilesFolder, nameObjectFolder } from "./pieces.ts";

/** As in the folder itself: pieces are sealed, but their sizes and owners show. */
const FOLDER_MODE = 0o700;
const PIECE_NAME = /^\d+$/;

/** Returns the bytes of a database's files as they lie on the disk. 0 if there are none. */
export function measurePieces(database: string): number {
  return listPieces(nameFilesFolder(database)).reduce((sum, piece) => sum + readSize(piece), 0);
}

export function hasFiles(database: string): boolean {
  return existsSync(nameFilesFolder(database));
}

/** True if the database's folder has the bytes of an object. */
export function hasObject(database: string, accountId: string, object: string): boolean {
  return existsSync(nameObjectFolder(database, accountId, object));
}

/**
 * Copies pieces into a folder that is made, and returns their bytes once they would survive a power failure. A piece that
 * is deleted meanwhile is left out, as its file is.
 */
export function copyPieces(from: string, to: string): number {
  mkdirSync(to, { recursive: true, mode: FOLDER_MODE });
  let bytes = 0;
  for (const piece of listPieces(from)) {
    const copy = join(to, relative(from, piece));
    mkdirSync(dirname(copy), { recursive: true, mode: FOLDER_MODE });
    if (!copyIfThere(piece, copy)) continue;
    bytes += readSize(copy);
    sync(copy);
    sync(dirname(copy));
  }
  sync(to);
  return bytes;
}

function copyIfThere(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

function listPieces(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile() && PIECE_NAME.test(found.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

function readSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function sync(path: string): void {
  const opened = openSync(path, "r");
  fsyncSync(opened);
  closeSync(opened);
}
