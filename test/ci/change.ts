// The change under test: the files that differ from the main line or, without one, from the last green run.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { FLAKY_FILE, type FlakyRow, readRows } from "./flaky.ts";

export interface Change {
  /** The words for what it is compared with. */
  readonly since: string;
  /** Its commit; null without git. */
  readonly base: string | null;
  /** The commits that may have come in one push; null without git, and in a clone that hasn't all commits. */
  readonly push: Push | null;
  /** Null if nothing is known to compare with: then every file may have changed. */
  readonly files: readonly string[] | null;
  /** The rows of the list of flaky tests before it. */
  readonly rows: readonly FlakyRow[] | null;
}

/** On a branch, the change. On the main line, its commits of the last hours, which nothing may have tested one by one. */
export interface Push {
  /** The main line's commit before it. */
  readonly base: string;
  /** The first-parent commits of the main line up to that one. */
  readonly count: number;
  readonly files: readonly string[];
}

const PUSH_HOURS = 3;

const UNKNOWN: Change = {
  since: "nothing that is known",
  base: null,
  push: null,
  files: null,
  rows: null,
};
const MAIN_LINES = ["origin/main", "main"];
const KEPT = "green.json";

export async function readChange(root: string, cache: string): Promise<Change> {
  return readGitChange(root) ?? (await readFromKept(root, cache)) ?? UNKNOWN;
}

/** Returns null where git knows no main line. */
export function readGitChange(root: string): Change | null {
  // Another user may own the checkout, as in a container that mounts it.
  const git: Git = (...words) => {
    if (Bun.which("git") === null) return null;
    const command = ["git", "-c", "safe.directory=*", "-C", root, ...words];
    const { success, stdout } = Bun.spawnSync(command, { stdin: "ignore", stderr: "ignore" });
    return success ? stdout.toString().trim() : null;
  };
  // A folder within another project's checkout isn't this one's.
  if (git("rev-parse", "--show-prefix") !== "") return null;
  const head = git("rev-parse", "HEAD");
  const isClean = git("status", "--porcelain") === "";
  for (const line of MAIN_LINES) {
    const base = git("merge-base", line, "HEAD");
    if (base === null) continue;
    // On the main line itself, its last commit is what is under test.
    const from = base === head && isClean ? git("rev-parse", "HEAD^1") : base;
    if (from === null) continue;
    const files = listDiffering(git, from);
    const before = git("show", `${from}:${FLAKY_FILE}`);
    const rows = before === null ? [] : readRows(before);
    const push = readPush(git, from === base ? base : null);
    return { since: `${line} at ${from.slice(0, 9)}`, base: from, push, files, rows };
  }
  return null;
}

/** Runs Git, and returns what it prints; null if it fails. */
type Git = (...words: readonly string[]) => string | null;

function listDiffering(git: Git, from: string): readonly string[] {
  const lists = [git("diff", "--name-only", from), git("ls-files", "--others", "--exclude-standard")];
  return lists.flatMap((list) => (list ?? "").split("\n").filter(Boolean));
}

/** `branched` is the commit where a branch left the main line; null on the main line itself. */
function readPush(git: Git, branched: string | null): Push | null {
  if (git("rev-parse", "--is-shallow-repository") !== "false") return null;
  const until = Number(git("show", "-s", "--format=%ct", "HEAD")) - PUSH_HOURS * 3600;
  const base = branched ?? git("rev-list", "--first-parent", "-1", `--before=${until}`, "HEAD");
  if (!base) return null;
  const count = Number(git("rev-list", "--count", "--first-parent", base));
  return { base, count, files: listDiffering(git, base) };
}

interface Kept {
  readonly at: string;
  readonly digests: Readonly<Record<string, string>>;
  readonly rows: string;
}

async function readFromKept(root: string, cache: string): Promise<Change | null> {
  const path = join(cache, KEPT);
  if (!existsSync(path)) return null;
  const kept: Kept = JSON.parse(readFileSync(path, "utf8"));
  const digests = await listDigests(root);
  const names = new Set([...Object.keys(kept.digests), ...Object.keys(digests)]);
  const files = [...names].filter((name) => kept.digests[name] !== digests[name]).toSorted();
  return {
    since: `the last green run, at ${kept.at}`,
    base: null,
    push: null,
    files,
    rows: readRows(kept.rows),
  };
}

/** Keeps the digests of all files, with which the next run compares where no main line is known. */
export async function keepGreen(root: string, cache: string, now: Date): Promise<void> {
  const rows = readFileSync(join(root, FLAKY_FILE), "utf8");
  const kept: Kept = { at: now.toISOString(), digests: await listDigests(root), rows };
  const path = join(cache, KEPT);
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(kept));
  renameSync(`${path}.${process.pid}`, path);
}

async function listDigests(root: string): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  for (const pattern of ["{src,test}/**/*", "*"]) {
    for await (const path of new Glob(pattern).scan({ cwd: root })) {
      if (path.includes("node_modules/") || path.includes("__pycache__/")) continue;
      const bytes = await Bun.file(join(root, path)).bytes();
      digests[path] = Bun.SHA256.hash(bytes, "hex");
    }
  }
  return digests;
}
