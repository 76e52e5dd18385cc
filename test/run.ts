// The program behind `npm test`: runs everything and ends with one line, `N passed, N failed`.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { APART, beginWith } from "./runner/apart.ts";
import { makeTestEnvironment } from "./runner/environment.ts";
import { readGraph } from "./runner/graph.ts";
import { ALSO_ON_BINARY, ON_BINARY } from "./runner/on-binary.ts";
import { describeProgress, readMarks, Screen, sumCpuMs } from "./runner/progress.ts";
import { type FileResult, findMissing, readReport } from "./runner/report.ts";
import { keepTimings, TIMINGS_FLAGS } from "./runner/timings.ts";

const HELP = `usage: npm test [-- OPTIONS]
  npm test                       types, format and every test that needs nothing but the project
  npm test -- test/ledger        the tests of a room: files whose path contains a word
  npm test -- --near FILE...     the sixty tests nearest to the files, of those that import them, directly or through others
  npm test -- --binary           the tests that run against the binary that POUNDKEY_BINARY names
  npm test -- --at-once N FILE...
                                 these files, N beside each other
  npm test -- --each-alone WORD...
                                 files whose path contains a word, or all that \`npm test\` runs, each in a process of its own

TEST_RESULTS=FILE writes { passed, failed, skipped, files: [{ file, seconds, cpuSeconds | null, passed, failed: [TITLE], skipped }] };
what failed beside the files (types, format, build) is only in the sum. UPDATE_TIMINGS=1 keeps the CPU time of each file.`;

const ROOT = join(import.meta.dir, "..");
const bun = process.execPath;
const tool = (name: string) => join(ROOT, "node_modules", ".bin", name);

const screen = new Screen(process.stdout);
const graph = await readGraph(ROOT);

type Print = (text: string) => void;

/** Runs a command, shows its output (at its end and only if it fails, where that is asked for), and returns its exit code. */
async function run(command: readonly string[], showing: "all" | "failure" = "all"): Promise<number> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "pipe",
    env: makeEnvironment(),
  });
  const kept: string[] = [];
  const print: Print = (text) => (showing === "all" ? screen.print(text) : kept.push(text));
  const [, , code] = await Promise.all([
    passLines(child.stdout, print),
    passLines(child.stderr, print),
    child.exited,
  ]);
  if (code !== 0) screen.print(kept.join(""));
  return code;
}

/** Prints whole lines only, since two runs print at once. */
async function passLines(stream: ReadableStream<Uint8Array>, print: Print): Promise<void> {
  const decoder = new TextDecoder();
  let waiting = "";
  for await (const bytes of stream) {
    const text = waiting + decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    print(text.slice(0, end));
    waiting = text.slice(end);
  }
  print(waiting);
}

/** The binary that tests start as processes (`harness/program.ts`). Null before it is built, and if it can't be. */
let built: string | null = null;

/** For reports of Bun and marks of its workers. */
const folder = mkdtempSync(join(tmpdir(), "poundkey-run-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const marks = join(folder, "marks");

function makeEnvironment(): Record<string, string> {
  return makeTestEnvironment({ TEST_MARKS: marks, ...(built !== null && { POUNDKEY_BUILT: built }) });
}

const results: FileResult[] = [];
/** Types, format and the build, which count as tests but stand in no file. */
const checks: { readonly name: string; readonly isGood: boolean }[] = [];

/** Types and format, which a run of selected files skips. */
const CHECKS = [
  ["types", [bun, tool("tsc"), "--noEmit"]],
  ["format", [bun, tool("biome"), "check", "."]],
] as const;

/** Returns whether the command succeeds, which counts as a test. */
async function check(name: string, command: readonly string[]): Promise<boolean> {
  const isGood = (await run(command)) === 0;
  screen.print(`${isGood ? "(pass)" : "(fail)"} ${name}\n`);
  checks.push({ name, isGood });
  return isGood;
}

async function checkAll(): Promise<void> {
  for (const [name, command] of CHECKS) await check(name, command);
}

/** Builds the binary for the tests that start processes: a start from the sources takes three times the CPU. */
async function build(): Promise<void> {
  const file = join(folder, "poundkey");
  if (await check("build", [bun, "src/app/build/build.ts", "--outfile", file])) built = file;
}

/** Ends a test that hangs. Those that may take longer say so; `tidy/real-time.data.json` lists them. */
const TIMEOUT_MS = 60_000;

let reports = 0;

/** Runs `bun test`. Each of the files that it must run has a result then. */
async function test(flags: readonly string[], files: readonly string[], showing?: "failure"): Promise<void> {
  const report = join(folder, `${reports++}.xml`);
  const reporting = ["--reporter=junit", `--reporter-outfile=${report}`];
  const code = await run([bun, "test", "--timeout", String(TIMEOUT_MS), ...reporting, ...flags], showing);
  const found = existsSync(report) ? readReport(readFileSync(report, "utf8"), ROOT) : [];
  found.push(...findMissing(files, found));
  results.push(...found);
  // For instance words that no file's path contains.
  if (code !== 0 && found.every(({ failed }) => failed.length === 0))
    checks.push({ name: `bun test ${flags.join(" ")}: exit code ${code}`, isGood: false });
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

/** Runs the files in two pools beside each other, each with the longest first. */
async function testAll(files: readonly string[]): Promise<void> {
  const building = build();
  await Promise.all(
    POOLS.map(async ({ atOnce, starts }) => {
      if (starts) await building;
      const own = files.filter((file) => graph.startsProcesses(file) === starts);
      await testFiles([`--parallel=${atOnce}`, ...TIMINGS_FLAGS], own);
    }),
  );
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

/** Runs what the command line asks for by words and flags of Bun's. */
async function testChosen(args: readonly string[]): Promise<void> {
  const words = args.filter((arg) => !arg.startsWith("-"));
  // `-t` leaves whole files out, and the value behind it is no word of a path.
  const isPlain = args.every((arg) => /^([^-]|--[\w-]+=)/.test(arg));
  await test(args, isPlain ? graph.tests.filter(contain(words)) : []);
}

function contain(words: readonly string[]) {
  return (file: string) =>
    words.length === 0 || words.some((word) => file.includes(word.replace(/^\.\//, "")));
}

/** Of the files that import a central one, there are hundreds. */
const NEAREST_MAX = 60;

/** The number of files of the run. Zero where Bun chooses them. */
let planned = 0;

async function main([first = "", ...rest]: readonly string[]): Promise<void> {
  const ours = graph.tests.filter((file) => !beginWith(APART)(file));
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
    case "--each-alone":
      return testEachAlone(plan(ours.filter(contain(rest))));
    case "--at-once": {
      const [atOnce = "1", ...files] = rest;
      return testFiles([`--parallel=${atOnce}`, ...TIMINGS_FLAGS], plan(files));
    }
    case "":
      await Promise.all([checkAll(), testAll(plan(ours))]);
      return;
    default:
      return testChosen([first, ...rest]);
  }
}

/** Writes and prints how it ended. Returns whether nothing failed. */
function report(): boolean {
  const cpuMs = sumCpuMs(readMarks(marks));
  if (keepTimings(graph.tests, cpuMs)) console.log("Written: test/runner/timings.data.json");
  const failedChecks = checks.filter(({ isGood }) => !isGood).map(({ name }) => name);
  const failedRows = results.flatMap(({ file, failed }) => failed.map((title) => `${file}: ${title}`));
  const failures = [...failedChecks, ...failedRows];
  const passed = checks.length - failedChecks.length + sum(results.map((one) => one.passed));
  const skipped = sum(results.map((one) => one.skipped));
  const total = { passed, failed: failures.length, skipped };
  if (process.env.TEST_RESULTS) {
    const files = results.map((one) => ({
      ...one,
      cpuSeconds: (cpuMs.get(one.file) ?? Number.NaN) / 1000,
    }));
    writeFileSync(process.env.TEST_RESULTS, JSON.stringify({ ...total, files }, null, 1));
  }
  if (failures.length > 0) console.log(`\nfailed:\n  ${failures.join("\n  ")}`);
  console.log(`\n${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failures.length === 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

if (process.argv[2] === "--help") {
  console.log(HELP);
  process.exit(0);
}
const endProgress = screen.follow(() => describeProgress(readMarks(marks), planned));
await main(process.argv.slice(2));
endProgress();
process.exit(report() ? 0 : 1);
