// Loaded before the test files: they and the commands that they start work in an empty folder, where no `.poundkey`,
// `poundkey.yaml` or `dist` of the project is found.
import { afterAll, beforeAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder = enterFolder();

function enterFolder(): string {
  const made = mkdtempSync(join(tmpdir(), "poundkey-test-"));
  process.chdir(made);
  return made;
}

// A worker of `--parallel` runs the hooks once per file, and loads this file only once.
beforeAll(() => {
  if (folder === "") folder = enterFolder();
});
afterAll(() => {
  process.chdir(tmpdir());
  rmSync(folder, { recursive: true, force: true });
  folder = "";
});
