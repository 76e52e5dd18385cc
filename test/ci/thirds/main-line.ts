// A failed file as the main line has it: where it fails there too, the change hasn't broken it, and a later one must mend it.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Push } from "../change.ts";
import { INSTALLS } from "../installs/rows.ts";
import { runCommand } from "../process.ts";
import type { Step } from "../row.ts";
import { makeEnvironment, runFiles } from "../run-step.ts";
import { BINARY } from "../steps.ts";
import { THIRDS } from "./thirds.ts";

const KEPT = "red.json";
/** A failure of the main line is one of the change's own in the next but one. */
const LATER = 2;

/** A file that the main line was red with, when it was found. */
interface Found {
  readonly file: string;
  readonly count: number;
  /** As `main is red since A..B`. */
  readonly says: string;
}

export interface MainLine {
  /** The files that must run, whatever third is due. */
  readonly owed: ReadonlySet<string>;
  /** Returns the words for a failed file that fails before the push too; null if the push breaks it, or is the next but one. */
  judge(file: string, step: Step): Promise<string | null>;
  /** Forgets a file that has passed. */
  settle(file: string): void;
}

/** Reads what earlier runs have found from the cache. */
export function openMainLine(root: string, cache: string, push: Push | null): MainLine {
  const path = join(cache, KEPT);
  let kept: readonly Found[] = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
  const keep = (found: readonly Found[]) => {
    if (found.length !== kept.length) writeFileSync(path, JSON.stringify(found));
    kept = found;
  };
  return {
    owed: new Set(kept.map(({ file }) => file)),
    settle: (file) => keep(kept.filter((one) => one.file !== file)),
    async judge(file, step) {
      if (push === null) return null;
      const known = kept.find((one) => one.file === file);
      if (known) return push.count - known.count < LATER ? known.says : null;
      if (!(await failsAt(push.base, { root, file, step }))) return null;
      const says = `main is red since ${push.base.slice(0, 9)}~${THIRDS}..${push.base.slice(0, 9)}`;
      keep([...kept, { file, count: push.count, says }]);
      return says;
    },
  };
}

interface Where {
  readonly root: string;
  readonly file: string;
  readonly step: Step;
}

const LOCK = "package-lock.json";
const MODULES = "node_modules";
const BUILD_MINUTES = 10;

/** Runs the file in a checkout of the commit. False too where that commit needs other packages. */
async function failsAt(commit: string, { root, file, step }: Where): Promise<boolean> {
  const before = mkdtempSync(join(tmpdir(), "poundkey-before-"));
  const run = (...command: readonly string[]) =>
    runCommand(command, { cwd: root, minutes: BUILD_MINUTES, env: {} });
  try {
    const made = await run(
      "git",
      "-c",
      "safe.directory=*",
      "worktree",
      "add",
      "--detach",
      "--force",
      before,
      commit,
    );
    if (made.code !== 0 || !existsSync(join(before, file)) || isOther(root, before)) return false;
    for (const at of [MODULES, ...INSTALLS.map((one) => one.at)])
      if (existsSync(join(root, at)) && !existsSync(join(before, at)))
        symlinkSync(join(root, at), join(before, at));
    if (step.needs.includes("build"))
      await run("env", "-C", before, process.execPath, "src/app/build/build.ts", "--outfile", BINARY);
    const env = makeEnvironment(before, step);
    const { failed } = await runFiles({ root: before, files: [file], atOnce: 1, minutes: step.minutes, env });
    return failed > 0;
  } finally {
    await run("git", "-c", "safe.directory=*", "worktree", "remove", "--force", before);
    rmSync(before, { recursive: true, force: true });
  }
}

function isOther(root: string, before: string): boolean {
  return readFileSync(join(root, LOCK), "utf8") !== readFileSync(join(before, LOCK), "utf8");
}
