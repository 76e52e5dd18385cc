// Writes a set of files into a folder, and later replaces those alone: a list in the folder names what was made.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, parseJson } from "../../core/json/json.ts";

/** Begins with a dot, so that few servers show it. */
const LIST = ".poundkey-docs.json";
const DRAFT = ".poundkey-docs.draft";
/** The name of a file in the folder itself: a list that somebody changed leads nowhere else. */
const NAME = /^[\w-][\w.-]*$/;

/** Throws an Error, and leaves the folder as it is, if something of somebody else's is in the way. */
export function replaceFiles(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
  isForced: boolean,
): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Error(`${folder} isn't a folder`);
  mkdirSync(folder, { recursive: true });
  const there = readdirSync(folder);
  if (there.length > 0 && !isForced)
    throw new Error(`${folder} isn't empty. With --force, what an earlier run made is replaced.`);
  const made = readList(folder);
  const others = there.filter((name) => files.has(name) && !made.has(name));
  if (others.length > 0)
    throw new Error(`${folder} has files of others: ${others.join(", ")}. Nothing was written.`);
  // If this run is cut short, the next one still knows all of its files.
  writeList(folder, [...made, ...files.keys()]);
  for (const [name, content] of files) writeWhole(folder, name, content);
  for (const name of made) if (!files.has(name)) rmSync(join(folder, name), { force: true });
  writeList(folder, [...files.keys()]);
}

/** A link in the place of a file is replaced, rather than what it leads to. */
function writeWhole(folder: string, name: string, content: string | Uint8Array): void {
  const draft = join(folder, DRAFT);
  rmSync(draft, { force: true });
  writeFileSync(draft, content, { flag: "wx" });
  renameSync(draft, join(folder, name));
}

function writeList(folder: string, names: readonly string[]): void {
  const files = [...new Set(names)].toSorted();
  writeWhole(folder, LIST, `${JSON.stringify({ files }, null, 2)}\n`);
}

/** Returns what earlier runs made. Empty if there is no list, or none that can be read. */
function readList(folder: string): ReadonlySet<string> {
  try {
    const { files } = asObject(parseJson(readFileSync(join(folder, LIST), "utf8")));
    return new Set(
      asArray(files)
        .filter((name) => typeof name === "string" && NAME.test(name))
        .map(String),
    );
  } catch {
    return new Set();
  }
}
