// The program behind `npm test`: runs the tests and ends with one line, `N passed, N failed`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beginWith, RULERS } from "./runner/apart.ts";
import { describeBusy } from "./runner/busy.ts";
import { makeFormat, TYPES } from "./runner/checks.ts";
import { Commands, type Ran } from "./runner/command.ts";
import { describeWrongCost, findScale, findWrongCosts, isDearer } from "./runner/costs.ts";
import { makeTestEnvironment } from "./runner/environment.ts";
import { readGraph } from "./runner/graph.ts";
import { ALSO_ON_BINARY, ON_BINARY } from "./runner/on-binary.ts";
import { enterPlace, leaveOnSignal } from "./runner/place.ts";
import { describeProgress, readMarks, Screen, sumCpuMs } from "./runner/progress.ts";
import { type FileResult, judgeMissing, listMissing, readReport } from "./runner/report.ts";
import { listBothTiers, listFirstTier } from "./runner/tiers.ts";
import { keepCosts, readSlowCheck, TIMINGS_FLAGS } from "./runner/timings.ts";
import { Yardstick } from "./runner/unit/unit.ts";

const HELP = `usage: npm test [-- OPTIONS]
  npm test                       types, format, what must be there, and the cheapest files, for about five minutes
  npm run test:all               types, format and every test that needs nothing but the project
  npm test -- test/ledger        the tests of a room: files whose path contains a word
  npm test -- --near FILE...     the sixty tests nearest to the files, of those that import them, directly or through others
  npm test -- --binary           the tests that run against the binary that POUNDKEY_BINARY names
  npm test -- --at-once N FILE...
                                 these files, N beside each other
  npm test -- --each-alone WORD...
                                 files whose path contains a word, or all that \`npm run test:all\` runs, each in a process of its own
  npm test -- --costs FILE...    red where a file takes more alone, twice, than is kept of it; UPDATE_COSTS=1 keeps what it takes

A unit of cost is the CPU that a frozen type check takes on this machine (test/runner/unit). TEST_RESULTS=FILE writes { passed, failed,
skipped, busy: WHY | null, files: [{ file, seconds, units | null, passed, failed: [TITLE], late, skipped }] }; what failed beside the
files (types, format, build) is only in the sum. TEST_BUSY=WHY says that the machine is too busy for limits of time, TEST_UNIT=SECONDS
what a unit takes, TEST_SCALE how many units files take here for each that is kept of them.`;

if (process.argv[2] === "--help") {
  console.log(HELP);
  process.exit(0);
}

const ROOT = join(import.meta.dir, "..");
const bun = process.execPath;

/** Servers that end with the tests do so within this; whatever else is left is killed. */
const GRACE_MS = 2_000;

const screen = new Screen(process.stdout);
const commands = new Commands((text) => screen.print(text));
const graph = await readGraph(ROOT);
const place = enterPlace();
leaveOnSignal(place, GRACE_MS, () => commands.close());
const marks = join(place.folder, "marks");

/** The binary that tests start as processes (`harness/program.ts`). Null before it is built, and if it can't be. */
let built: string | null = null;
/** The reason for which limits of time mean nothing on this machine; null if they do. */
let busy = process.env.TEST_BUSY ?? null;

function run(command: readonly string[], showing?: "failure"): Promise<Ran> {
  const env = makeTestEnvironment({ TEST_MARKS: marks, ...(built !== null && { POUNDKEY_BUILT: built }) });
  return commands.run(command, env, showing);
}

const results: FileResult[] = [];
/** Types, format and the build, which count as tests but stand in no file. */
const checks: { readonly name: string; readonly isGood: boolean }[] = [];

/** Returns what the command took. Its success counts as a test. */
async function check(name: string, command: readonly string[]): Promise<Ran> {
  const ran = await run(command);
  const isGood = ran.code === 0;
  screen.print(`${isGood ? "(pass)" : "(fail)"} ${name}\n`);
  checks.push({ name, isGood });
  return ran;
}

/** Types and format, which a run of selected files skips. */
async function checkAll(): Promise<void> {
  const types = await check("types", TYPES);
  busy ??= describeBusy(types, readSlowCheck("types"));
  await check("format", makeFormat(ROOT));
}

/** Builds the binary for the tests that start processes: a start from the sources takes three times the CPU. */
async function build(): Promise<void> {
  const file = join(place.folder, "poundkey");
  const { code } = await check("build", [bun, "src/app/build/build.ts", "--outfile", file]);
  if (code === 0) built = file;
}

/** Ends a test that hangs. Those that may take longer say so; `tidy/real-time.data.json` lists them. */
const TIMEOUT_MS = 60_000;

let reports = 0;

/** Runs `bun test`. Each of the files that it must run has a result then. */
async function test(flags: readonly string[], files: readonly string[], showing?: "failure"): Promise<void> {
  const report = join(place.folder, `${reports++}.xml`);
  const reporting = ["--reporter=junit", `--reporter-outfile=${report}`];
  const { code } = await run([bun, "test", "--timeout", String(TIMEOUT_MS), ...reporting, ...flags], showing);
  const found = existsSync(report) ? readReport(readFileSync(report, "utf8"), ROOT) : [];
  for (const file of listMissing(files, found)) found.push(await loadAlone(file));
  results.push(...found);
  // For instance words that no file's path contains.
  if (code !== 0 && found.every(({ failed }) => failed.length === 0))
    checks.push({ name: `bun test ${flags.join(" ")}: exit code ${code}`, isGood: false });
}

/** Files that have no row here, since what they are about isn't there. */
const withoutRows: string[] = [];

/** Tells by another run, alone, whether a file without a row has none here or didn't get as far. */
async function loadAlone(file: string): Promise<FileResult> {
  const { code, output } = await run([bun, "test", `./${file}`], "failure");
  const result = judgeMissing(file, code, output);
  if (result.failed.length === 0) withoutRows.push(file);
  return result;
}

/** Runs files side by side, by paths that can't mean others. */
async function testFiles(flags: readonly string[], files: readonly string[]): Promise<void> {
  if (files.length > 0)
    await test(["--only-failures", "--no-isolate", ...flags, ...files.map((file) => `./${file}`)], files);
}

/**
 * Tests that start processes, threads and database servers wait for those most of the time, so many run at once beside
 * the tests that compute. Both pools together keep two cores busy.
 */
const POOLS = [
  { atOnce: 6, starts: true },
  { atOnce: 2, starts: false },
];

/** Runs types, format and the files, these in two pools beside each other, each with the longest first. */
async function testAll(files: readonly string[]): Promise<void> {
  const building = build();
  const isRuler = beginWith(RULERS);
  const pools = POOLS.map(async ({ atOnce, starts }) => {
    if (starts) await building;
    const own = files.filter((file) => graph.startsProcesses(file) === starts && !isRuler(file));
    await testFiles([`--parallel=${atOnce}`, ...TIMINGS_FLAGS], own);
  });
  await Promise.all([checkAll(), ...pools]);
  for (const ruler of files.filter(isRuler)) await test([`./${ruler}`], [ruler], "failure");
}

const ALONE_AT_ONCE = 2;

/** Runs each file in a process of its own, where no other has cleaned up or loaded anything before it. */
async function testEachAlone(files: readonly string[]): Promise<void> {
  if (files.some(graph.startsProcesses)) await build();
  const waiting = files.values();
  const testNext = async () => {
    for (const file of waiting) await test([`./${file}`], [file], "failure");
  };
  await Promise.all(Array.from({ length: ALONE_AT_ONCE }, testNext));
}

/** Measures each file alone. Keeps the costs that are wrong as they are found, if asked to, or else they are red. */
async function checkCosts(files: readonly string[]): Promise<void> {
  if (files.some(graph.startsProcesses)) await build();
  const wrong = await findWrongCosts(files, measureAlone);
  for (const one of wrong) screen.print(`${describeWrongCost(one)}\n`);
  if (process.env.UPDATE_COSTS) keepCosts(graph.tests, wrong);
  else checks.push(...wrong.filter(isDearer).map((one) => ({ name: describeWrongCost(one), isGood: false })));
}

/** Found by a run of many files. */
const SCALE = Number(process.env.TEST_SCALE) || 1;

/** Returns the units of a file and all that it starts, by the scale of those that are kept. */
async function measureAlone(file: string): Promise<number> {
  const before = commands.cpu;
  await test([`./${file}`], [file], "failure");
  return yardstick.count(commands.cpu - before) / SCALE;
}

/** Runs what the command line asks for by words and flags of Bun's. */
async function testChosen(args: readonly string[]): Promise<void> {
  const words = args.filter((arg) => !arg.startsWith("-"));
  // `-t` leaves whole files out, and the value behind it is no word of a path.
  const isPlain = args.every((arg) => /^([^-]|--[\w-]+=)/.test(arg));
  await test(args, isPlain ? graph.tests.filter(contain(words)) : []);
}

/** More files than these haven't run out of their time by chance. */
const LATE_MAX = 10;

/** On a busy machine, runs the files that did no more wrong than run out of their time once more, each alone. */
async function testLateOnes(): Promise<void> {
  const late = results.filter(({ failed, late: count }) => count > 0 && count === failed.length);
  if (busy === null || late.length > LATE_MAX) return;
  for (const one of late) {
    screen.print(`The machine is busy: ${busy}. Out of its time, so once more, alone: ${one.file}\n`);
    results.splice(results.indexOf(one), 1);
    await test([`./${one.file}`], [one.file]);
  }
}

function contain(words: readonly string[]) {
  return (file: string) =>
    words.length === 0 || words.some((word) => file.includes(word.replace(/^\.\//, "")));
}

/** Of the files that import a central one, there are hundreds. */
const NEAREST_MAX = 60;

/** Their costs are said in units. */
const MEASURED = ["", "--all", "--costs"];
/** Measured beside the files themselves: other work on the machine slows both. */
const yardstick = new Yardstick(process.argv[2] === "--costs" ? undefined : process.env.TEST_UNIT);

/** The number of files of the run. Zero where Bun chooses them. */
let planned = 0;
/** The number of files that the first tier leaves out. */
let leftOut = 0;

async function main([first = "", ...rest]: readonly string[]): Promise<void> {
  if (MEASURED.includes(first)) await yardstick.begin();
  const both = listBothTiers(graph.tests);
  const plan = (files: readonly string[]) => {
    planned = files.length;
    return files;
  };
  switch (first) {
    case "--binary":
      return testFiles(
        ["--parallel=2"],
        plan(graph.tests.filter(beginWith([...ON_BINARY, ...ALSO_ON_BINARY]))),
      );
    case "--near": {
      const near = plan(graph.rankNear(rest).slice(0, NEAREST_MAX));
      console.log(`the ${near.length} nearest test files that import ${rest.join(", ")}`);
      return testFiles(["--parallel=2"], near);
    }
    case "--costs":
      return checkCosts(plan(rest));
    case "--each-alone":
      return testEachAlone(plan(both.filter(contain(rest))));
    case "--at-once": {
      const [atOnce = "1", ...files] = rest;
      return testFiles([`--parallel=${atOnce}`, ...TIMINGS_FLAGS], plan(files));
    }
    case "--all":
      return testAll(plan(both));
    case "": {
      const first = listFirstTier(graph.tests);
      leftOut = both.length - first.length;
      return testAll(plan(first));
    }
    default:
      return testChosen([first, ...rest]);
  }
}

/** Writes and prints how it ended. Returns whether nothing failed. */
async function report(): Promise<boolean> {
  await yardstick.end();
  const failedChecks = checks.filter(({ isGood }) => !isGood).map(({ name }) => name);
  const failedRows = results.flatMap(({ file, failed }) => failed.map((title) => `${file}: ${title}`));
  const failures = [...failedChecks, ...failedRows];
  const passed = checks.length - failedChecks.length + sum(results.map((one) => one.passed));
  const skipped = sum(results.map((one) => one.skipped));
  const total = { passed, failed: failures.length, skipped };
  const cpuMs = [...sumCpuMs(readMarks(marks))];
  const units = new Map(cpuMs.map(([file, ms]) => [file, yardstick.count(ms / 1000)]));
  if (process.env.TEST_RESULTS) {
    const files = results.map((one) => ({ ...one, units: units.get(one.file) ?? null }));
    writeFileSync(process.env.TEST_RESULTS, JSON.stringify({ ...total, busy, files }, null, 1));
  }
  if (failures.length > 0) console.log(`\nfailed:\n  ${failures.join("\n  ")}`);
  console.log("");
  const reasons = [...commands.reasons, ...withoutRows.map((file) => `${file} has no row here`)];
  if (skipped > 0 || reasons.length > 0) console.log(`skipped: ${skipped} rows: ${reasons.join("; ")}`);
  if (leftOut > 0)
    console.log(`left out: the ${leftOut} files that take the most; npm run test:all runs them`);
  const cost = yardstick.describe(commands.cpu);
  if (cost !== null) console.log(`${cost}; TEST_SCALE=${findScale(units).toFixed(2)} of what is kept`);
  console.log(`${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failures.length === 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

const endProgress = screen.follow(() => describeProgress(readMarks(marks), planned));
await main(process.argv.slice(2));
await testLateOnes();
endProgress();
const isGood = await report();
await place.leave(GRACE_MS);
process.exit(isGood ? 0 : 1);
