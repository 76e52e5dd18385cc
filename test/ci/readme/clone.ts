// A clone of the checkout as it stands: its commit, and above it one with whatever isn't committed there.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const SETTINGS = `[safe]
\tdirectory = *
[user]
\tname = Poundkey
\temail = readme@example.com
[gc]
\tauto = 0
`;

/** Runs git without the user's settings, and in checkouts of other users too. Returns null if git ends with an error. */
type Git = (folder: string, ...words: readonly string[]) => string | null;

function makeGit(settings: string): Git {
  writeFileSync(settings, SETTINGS);
  const { PATH = "", HOME = "" } = process.env;
  // Git hands `-c safe.directory` on to no process that reads another repository, but it hands on these.
  const env = { PATH, HOME, GIT_CONFIG_GLOBAL: settings, GIT_CONFIG_NOSYSTEM: "1", GIT_OPTIONAL_LOCKS: "0" };
  return (cwd, ...words) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...words], { cwd, env });
    if (exitCode !== 0) console.log(stderr.toString().trimEnd());
    return exitCode === 0 ? stdout.toString() : null;
  };
}

export interface Clone {
  readonly path: string;
  /** Returns what git finds changed or new there, as `git status --porcelain` prints it. */
  readChanges(): string;
}

/** Makes the clone in the folder. Throws if git can't. */
export function makeClone(root: string, folder: string): Clone {
  const git = makeGit(join(folder, "gitconfig"));
  const path = join(folder, "clone");
  const must = (cwd: string, ...words: readonly string[]): string => {
    const said = git(cwd, ...words);
    if (said === null) throw new Error(`git ${words[0]} failed`);
    return said;
  };
  const isCheckout = git(root, "rev-parse", "--verify", "--quiet", "HEAD") !== null;
  if (isCheckout) must(folder, "clone", "--quiet", "--no-checkout", root, path);
  else must(folder, "init", "--quiet", path);
  const own = isCheckout ? must(root, "rev-parse", "--git-path", "info/exclude").trim() : "";
  // The checkout's files seen from the clone's repository: changed, new and deleted ones are one commit.
  const over = ["-c", `core.excludesFile=${own}`, "--git-dir", join(path, ".git"), "--work-tree", root];
  must(root, ...over, "add", "--all");
  if (must(path, "diff", "--cached", "--name-only") !== "" || !isCheckout)
    must(path, "commit", "--quiet", "--no-verify", "--message", "The working tree");
  must(path, "reset", "--quiet", "--hard");
  return { path, readChanges: () => must(path, "status", "--porcelain") };
}
