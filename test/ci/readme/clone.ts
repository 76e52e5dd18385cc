// A clone of the checkout as it stands: its commit, and above it one with whatever isn't committed there.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const SETTINGS = `[safe]
\tdirectory = *
[user]
\tname = Poundkey
\temail = readme@example.com
[gc]
\tauto = 0
`;

/** Runs git without the user's settings, and in checkouts of other users too. Throws what git says if it fails. */
type Git = (folder: string, ...words: readonly string[]) => string;

function makeGit(settings: string): Git {
  writeFileSync(settings, SETTINGS);
  const { PATH = "", HOME = "" } = process.env;
  // Git hands `-c safe.directory` on to no process that reads another repository, but it hands on these.
  const env = { PATH, HOME, GIT_CONFIG_GLOBAL: settings, GIT_CONFIG_NOSYSTEM: "1", GIT_OPTIONAL_LOCKS: "0" };
  return (cwd, ...words) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...words], { cwd, env });
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr.toString().trim()}`);
    return stdout.toString();
  };
}

/** False for a folder that merely lies in somebody's repository. */
function hasCommit(git: Git, root: string): boolean {
  try {
    return existsSync(join(root, ".git")) && git(root, "rev-parse", "--verify", "HEAD") !== "";
  } catch {
    return false;
  }
}

/** Returns what this checkout alone leaves out. */
function readExcluded(git: Git, root: string): string {
  const own = resolve(root, git(root, "rev-parse", "--git-path", "info/exclude").trim());
  return existsSync(own) ? readFileSync(own, "utf8") : "";
}

export interface Clone {
  readonly path: string;
  /** Returns what git finds changed or new there, as `git status --porcelain` prints it. */
  readChanges(): string;
}

/** Makes the clone in the folder, without packages, even where those are a link. Throws if git can't. */
export function makeClone(root: string, folder: string): Clone {
  const git = makeGit(join(folder, "gitconfig"));
  const path = join(folder, "clone");
  const isCheckout = hasCommit(git, root);
  if (isCheckout) {
    git(folder, "clone", "--quiet", "--no-checkout", root, path);
    git(path, "read-tree", "HEAD");
  } else git(folder, "init", "--quiet", path);
  const excluded = join(folder, "excluded");
  writeFileSync(excluded, `node_modules\n${isCheckout ? readExcluded(git, root) : ""}`);
  // The checkout's files seen from the clone's repository: changed, new and deleted ones are one commit.
  const over = ["-c", `core.excludesFile=${excluded}`, "--git-dir", join(path, ".git"), "--work-tree", root];
  git(root, ...over, "add", "--all");
  if (!isCheckout || git(path, "diff", "--cached", "--name-only") !== "")
    git(path, "commit", "--quiet", "--no-verify", "--message", "The working tree");
  git(path, "reset", "--quiet", "--hard");
  return { path, readChanges: () => git(path, "status", "--porcelain") };
}
