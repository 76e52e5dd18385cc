// Reads a settings file of the user's, without harm whatever stands in its place.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describeUnread } from "../../config/interpolate.ts";

const BYTES_MAX = 1_048_576;
const PERMISSIONS = 0o777;

/** Something isn't changed. The message says why, for the person. */
export class RefusedError extends Error {}

/** A file's bytes, and the permissions of its mode. */
export interface FoundFile {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly mode: number;
}

/**
 * Returns the path that is written in the place of a named one: the target, if it is a link. Throws a RefusedError for a link that
 * leads out of the home and out of `root`, the agent's own folder.
 */
export function findTarget(path: string, home: string, root: string): string {
  return refuseUnread(() => followLinks(path, home, root));
}

/** Refuses for any error of the system's too. */
function refuseUnread<Found>(read: () => Found): Found {
  try {
    return read();
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR")
      throw new RefusedError("a part of its path isn't a directory");
    throw new RefusedError(`it ${describeUnread(error)}`);
  }
}

function followLinks(path: string, home: string, root: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() && !existsSync(path)) throw new RefusedError("it is a link to nothing");
  const target = stats === undefined ? resolveMissing(path) : realpathSync(path);
  const roots = [home, ...(isWithin(root, home) ? [] : [root])].map(resolveMissing);
  if (roots.some((one) => isWithin(target, one))) return target;
  throw new RefusedError("it is a link that leads out of your home folder");
}

/** Resolves the links of the folders that are there. */
function resolveMissing(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new RefusedError(`${path} is a link to nothing`);
  return folder === path ? path : join(resolveMissing(folder), basename(path));
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../");
}

/** Returns null if there is no such file. Throws a RefusedError for anything but a short text in a file of this user's. */
export function readSettings(path: string): FoundFile | null {
  return refuseUnread(() => readFound(path));
}

function readFound(path: string): FoundFile | null {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  if (seen === undefined) {
    refuseFolder(dirname(path));
    return null;
  }
  refuse(seen);
  // A pipe that takes the file's place now is opened without waiting for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const opened = fstatSync(file);
    refuse(opened);
    const bytes = readFileSync(file);
    return { bytes, text: decode(bytes), mode: opened.mode & PERMISSIONS };
  } finally {
    closeSync(file);
  }
}

function refuse(found: Stats): void {
  if (found.isDirectory()) throw new RefusedError("it is a directory");
  if (!found.isFile()) throw new RefusedError("it isn't a regular file");
  if (found.uid !== process.geteuid?.()) throw new RefusedError("it belongs to another user");
  if (found.size > BYTES_MAX) throw new RefusedError("it is larger than 1 MB");
}

/** The nearest folder that is there gets the file. */
function refuseFolder(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) {
    if (folder !== dirname(folder)) refuseFolder(dirname(folder));
    return;
  }
  if (!stats.isDirectory()) throw new RefusedError(`${folder} isn't a directory`);
  if (stats.uid !== process.geteuid?.()) throw new RefusedError(`${folder} belongs to another user`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RefusedError("it isn't text in UTF-8");
  }
}

/** True if the file lies in a work tree of git, from where a key could be published. */
export function isInWorkTree(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return true;
    if (folder === dirname(folder)) return false;
  }
}
