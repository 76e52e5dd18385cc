// The program of the last release, out of the repository's history, for tests that run it beside today's.
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dependencies } from "../../../package.json" with { type: "json" };
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { isMissing } from "../../harness/tools.ts";

export const RELEASE = "1.2.0";
const COMMIT = "21f6ae1a941e462137ffb3de9bc24fd73d968ad9";
const ROOT = join(import.meta.dir, "..", "..", "..");

/** Tells why the program can't run here. Null if it can. */
export const MISSING = findMissing();
isMissing(`nothing runs ${RELEASE}, since ${MISSING}`, MISSING === null);

function findMissing(): string | null {
  if (Bun.which("git") === null) return "there is no git on this machine";
  const { success, stdout } = git("show", `${COMMIT}:package.json`);
  if (!success) return `its commit ${COMMIT.slice(0, 9)} isn't in this checkout, as in a shallow clone`;
  const released = asObject(parseJson(stdout.toString()));
  return Bun.deepEquals(released.dependencies, dependencies)
    ? null
    : "it needs other packages than those that are installed";
}

function git(...words: readonly string[]) {
  // Another user may own the checkout, as in a container that mounts it.
  return Bun.spawnSync(["git", "-c", "safe.directory=*", "-C", ROOT, ...words], { stderr: "ignore" });
}

export interface Released {
  /** The words that start it, before the name of its own command. */
  readonly program: readonly string[];
  remove(): void;
}

/** Unpacks its sources into a folder of their own, beside the installed packages. */
export function unpackReleased(): Released {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-released-"));
  const archive = join(folder, "sources.tar");
  const packed = git("archive", "--format=tar", "-o", archive, COMMIT, "src", "package.json");
  const unpacked = Bun.spawnSync(["tar", "-xf", archive, "-C", folder]);
  if (!packed.success || !unpacked.success) throw new Error(`${RELEASE} can't be unpacked`);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return {
    program: [process.execPath, join(folder, "src", "main.ts")],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
