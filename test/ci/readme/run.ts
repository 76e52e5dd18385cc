// `bun test/ci/readme/run.ts [--only WORD | --but WORD] [-- OPTIONS]`: runs the README's commands in a clone, and `npm test` with the options
// last. Each command is one test. Ends with `N passed, N failed`.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { IS_LONG } from "../../harness/long.ts";
import { enterPlace, leaveOnSignal } from "../../runner/place.ts";
import { listBelow } from "../../runner/processes.ts";
import { makeClone } from "./clone.ts";
import { EXAMPLE, findUnmatched, listPrinted, readSourcesPage } from "./commands.ts";
import { judge, type Place, type Verdict } from "./judge.ts";
import { LEFT_MS, waitUntil } from "./processes.ts";
import { chooseForm, chooseRows, ROWS, type Row } from "./rows.ts";

const HELP = `usage: bun test/ci/readme/run.ts [--only WORD | --but WORD] [-- OPTIONS]

  --only WORD  the commands that contain the word, and those that they need
  --but WORD   those that don't
  OPTIONS      those of \`npm test\`

LONG=1 runs each command as printed, however long it takes.`;

const ROOT = join(import.meta.dir, "..", "..", "..");

/** Settings of the machine without which nothing is installed or compiled there. */
const KEPT =
  /^(HOME|USER|LANG|TMPDIR|TEST_MEMORY|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_(registry|userconfig|globalconfig|cache|cafile))$/i;

/** Returns what a reader's shell has: none of the project's settings, and no folder of programs of ours. */
function makeReaderEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    KEPT.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  const path = (process.env.PATH ?? "").split(delimiter);
  const isForeign = (folder: string) => !/[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/.test(folder);
  return { ...Object.fromEntries(kept), PATH: path.filter(isForeign).join(delimiter) };
}

const sums = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];

function pass(title: string): void {
  sums.passed++;
  console.log(`(pass) ${title}`);
}

function fail(title: string, why: string): void {
  sums.failed++;
  failures.push(`${title}: ${why.split("\n")[0]}`);
  console.log(`(fail) ${title}: ${why}`);
}

function skip(title: string, why: string): void {
  sums.skipped++;
  console.log(`(skip) ${title}: ${why}`);
}

function tell(title: string, { problem, printed, counts }: Verdict): void {
  if (counts) {
    for (const name of ["passed", "failed", "skipped"] as const) sums[name] += counts[name];
    if (counts.failed > 0) failures.push(`${title}: ${counts.failed} of its tests`);
  }
  if (problem === null) pass(title);
  else fail(title, `${problem}\n${printed}`);
}

/** Returns why a command can't be run here; null if it can. */
function findLack({ isDocker }: Row): string | null {
  if (!isDocker) return null;
  const hasEngine = Bun.which("docker") !== null && Bun.spawnSync(["docker", "info"]).exitCode === 0;
  if (!hasEngine) return "there is no Docker engine";
  return IS_LONG ? null : "it takes minutes: LONG=1 runs it";
}

/** Runs the row, and meanwhile those that belong beside it. */
async function runRow(place: Place, row: Row, rows: readonly Row[], gateway = ""): Promise<void> {
  const lack = findLack(row);
  if (lack !== null) return skip(row.command, lack);
  const form = chooseForm(row);
  const title = "because" in form ? `${row.command} (as \`${form.command}\`: ${form.because})` : row.command;
  const waiting = new Set(rows.filter(({ beside }) => beside === row.command));
  const meanwhile = async (printed: string) => {
    for (const other of waiting) {
      waiting.delete(other);
      await runRow(place, other, rows, printed);
    }
  };
  tell(title, await judge(place, row, { gateway, meanwhile }));
  for (const { command } of waiting) fail(command, `\`${row.command}\` has not started`);
}

/** The clone is as it was, and nothing runs in it. */
async function judgeLeftovers(folder: string, readChanges: () => string): Promise<void> {
  const changes = readChanges();
  if (changes === "") pass("the clone's files are as they were");
  else
    fail("the clone's files are as they were", `git status says ${changes.trimEnd().replaceAll("\n", ";")}`);
  if (!existsSync("/proc/self/cwd")) return skip("no process is left", "the system has no /proc");
  const isEmpty = await waitUntil(() => listBelow(folder).length === 0, LEFT_MS);
  if (isEmpty) pass("no process is left");
  else fail("no process is left", listBelow(folder).join("; "));
}

interface Wish {
  readonly isWanted: (command: string) => boolean;
  /** Those of `npm test`. */
  readonly options: readonly string[];
}

async function runAll(folder: string, { isWanted, options }: Wish): Promise<void> {
  const { path: clone, readChanges } = makeClone(ROOT, folder);
  const changes = readChanges();
  if (changes !== "") throw new Error(`the clone isn't clean:\n${changes}`);
  const printed = listPrinted(readSourcesPage(readFileSync(join(clone, "README.md"), "utf8")));
  for (const sentence of findUnmatched(printed, ROWS)) fail("each command has a row", sentence);
  const { TEST_RESULTS: results, TEST_UNIT: unit } = process.env;
  const place: Place = {
    folder,
    clone,
    root: ROOT,
    env: makeReaderEnvironment(),
    options,
    testEnv: { ...(results && { TEST_RESULTS: resolve(results) }), ...(unit && { TEST_UNIT: unit }) },
    example: printed.find(({ command }) => command === EXAMPLE)?.text ?? "",
  };
  const isPrinted = ({ command }: Row) => printed.some((one) => one.command === command);
  const rows = chooseRows(isWanted).filter(isPrinted);
  const hasGateway = ({ beside }: Row) => rows.some(({ command }) => command === beside);
  for (const row of rows) if (!hasGateway(row)) await runRow(place, row, rows);
  await judgeLeftovers(folder, readChanges);
}

const words = process.argv.slice(2);
if (words[0] === "--help") {
  console.log(HELP);
  process.exit(0);
}
function readWish(): Wish {
  const [flag = "", word = ""] = words;
  const hasFlag = flag === "--only" || flag === "--but";
  // Bun takes the first `--` away where it stands before all other words.
  const options = words.slice(hasFlag ? 2 : 0).filter((one, at) => at > 0 || one !== "--");
  return { isWanted: (command) => !hasFlag || command.includes(word) === (flag === "--only"), options };
}

/** A gateway gives its streams some seconds. */
const GRACE_MS = 3_000;
const place = enterPlace();

function report(): void {
  if (failures.length > 0) console.log(`\nfailed:\n  ${failures.join("\n  ")}`);
  const { passed, failed, skipped } = sums;
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
}

leaveOnSignal(place, GRACE_MS, () => {
  fail("the run", "it was interrupted");
  report();
});
try {
  // Nothing that a clone could take for its own stands beside it.
  const folder = join(place.folder, "readme");
  mkdirSync(folder);
  await runAll(folder, readWish());
} catch (error) {
  fail("the run", error instanceof Error ? error.message : String(error));
}
await place.leave(GRACE_MS);
report();
process.exit(sums.failed === 0 ? 0 : 1);
