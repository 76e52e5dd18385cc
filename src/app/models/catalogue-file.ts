// The operator's catalogue file: written whole, or not at all.
import { readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { writeBeside } from "./whole-file.ts";

/** A change is made once more if another process changed the file meanwhile, up to this number of times. */
const TRIES_MAX = 5;
/** By then a file beside the catalogue was renamed, or its process was killed. */
const LEFT_MS = 3_600_000;
const USUAL_MODE = 0o644;
const PERMISSIONS = 0o777;

/**
 * Changes the file, which other processes may be changing too: what `change` returns replaces the text that it was given, and
 * it is called again if the file is another by then. A missing file is null, and null leaves the file as it is. Rejects if it
 * can't be written.
 */
export async function changeCatalogueFile(
  path: string,
  change: (before: string | null) => Promise<string | null> | string | null,
): Promise<"written" | "unchanged"> {
  const file = resolveLinks(path);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = readIfThere(file);
    const after = await change(before);
    if (after === null || after === before) return "unchanged";
    const beside = writeBeside(file, after, readMode(file));
    if (readIfThere(file) === before) {
      renameSync(beside, file);
      removeLeft(file);
      return "written";
    }
    rmSync(beside);
  }
  throw new Error(`${path} was changed by others each of the ${TRIES_MAX} times that it was to be written`);
}

/** A link keeps leading to the file. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function readMode(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.mode ?? USUAL_MODE) & PERMISSIONS;
}

/** Removes what killed processes left beside the file. */
function removeLeft(file: string): void {
  const folder = dirname(file);
  const name = basename(file);
  for (const other of readdirSync(folder)) {
    if (!other.startsWith(`${name}.`) || !/^\.[0-9a-f]{12}\.new$/.test(other.slice(name.length))) continue;
    const left = join(folder, other);
    const writtenMs = statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (writtenMs < Date.now() - LEFT_MS) rmSync(left, { force: true });
  }
}
