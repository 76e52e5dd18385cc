// The program's version, and the commit that it was built from.
import { version } from "../../package.json" with { type: "json" };

/** Set by the build. */
declare const POUNDKEY_COMMIT: string | undefined;

const COMMIT = /^[0-9a-f]{7,40}$/;
const COMMIT_DIGITS = 12;

/** Returns a line like `1.1.0 (3f2c1a9b0d12)`. */
export async function describeVersion(): Promise<string> {
  const commit = typeof POUNDKEY_COMMIT === "undefined" ? await readCommit() : POUNDKEY_COMMIT;
  return `${version} (${COMMIT.test(commit) ? commit : "unknown commit"})`;
}

/** Returns the commit of the checkout that the sources are in, or an empty text. */
export async function readCommit(): Promise<string> {
  const git = Bun.which("git");
  if (git === null) return "";
  const child = Bun.spawn([git, "rev-parse", `--short=${COMMIT_DIGITS}`, "HEAD"], {
    cwd: import.meta.dir,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  return (await new Response(child.stdout).text()).trim();
}
