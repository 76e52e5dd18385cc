// The test files that a change touches, those with new rows first.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const TEST_FILE = /^test\/.*\.test\.tsx?$/;
const TITLE = /\b(?:test|describe)(?:\.\w+)*(?:\([^"'`]*?\))?\(\s*(["'`])((?:(?!\1)[^\\]|\\.)+)\1/g;
/** The first strings of rows in a table of `test.each` are titles too. */
const ROW = /^\s*\[\s*(["'`])((?:(?!\1)[^\\]|\\.)+)\1/gm;

export interface ChangedFile {
  readonly file: string;
  readonly newTitles: readonly string[];
}

/** Returns the titles that a file's text states. */
export function listTitles(text: string): readonly string[] {
  return [TITLE, ROW].flatMap((pattern) => [...text.matchAll(pattern)].map(([, , title = ""]) => title));
}

/** Runs Git. Returns null if it fails, for instance because a file wasn't there. */
function ask(root: string, ...args: readonly string[]): string | null {
  if (Bun.which("git") === null) return null;
  // Another user may own the checkout, as in a container that mounts it.
  const command = ["git", "-c", "safe.directory=*", "-C", root, ...args];
  const { success, stdout } = Bun.spawnSync(command, { stdin: "ignore", stderr: "ignore" });
  return success ? stdout.toString() : null;
}

/** Returns the commit where the work left the main line, or the one before a commit of the main line. Null without a main line. */
export function findBase(root: string): string | null {
  const base = ["origin/main", "main"].map((line) => ask(root, "merge-base", "HEAD", line)).find(Boolean);
  if (!base) return null;
  const isMain = base === ask(root, "rev-parse", "HEAD") && ask(root, "status", "--porcelain") === "";
  return isMain ? "HEAD^1" : base.trim();
}

/** Returns a file as it was in a revision. Null if the revision or the file isn't there. */
export function readAt(root: string, revision: string, file: string): string | null {
  return ask(root, "show", `${revision}:${file}`);
}

/** Returns the test files that differ from the base, also those that aren't committed yet. */
export function listChanged(root: string, base: string): readonly ChangedFile[] {
  const differing = ask(root, "diff", "--name-only", "--diff-filter=d", base, "--", "test");
  if (differing === null) throw new Error(`Git knows no revision ${base}.`);
  const added = ask(root, "ls-files", "--others", "--exclude-standard", "--", "test") ?? "";
  const files = [...new Set(`${differing}${added}`.split("\n"))].filter((file) => TEST_FILE.test(file));
  const changed = files.map((file) => {
    const before = new Set(listTitles(readAt(root, base, file) ?? ""));
    const titles = listTitles(readFileSync(join(root, file), "utf8"));
    return { file, newTitles: titles.filter((title) => !before.has(title)) };
  });
  const rank = ({ newTitles }: ChangedFile) => (newTitles.length > 0 ? 0 : 1);
  return changed.toSorted((one, other) => rank(one) - rank(other));
}
