// The program behind `npm test`: runs everything and ends with one line, `N passed, N failed`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Graph, readGraph } from "./runner/graph.ts";
import { MeasuredTimings } from "./runner/timings.ts";

const HELP = `usage: npm test [-- OPTIONS]
  npm test                       types, format and every test that needs nothing but the project
  npm test -- test/ledger        the tests of a room: files whose path contains a word
  npm test -- --near FILE...     the tests that import a file, directly or through others, but for scenarios of the whole
                                 gateway
  npm test -- --binary           the tests that run against the binary that POUNDKEY_BINARY names
  npm test -- --without-binary   everything but those, for a run that is followed by one with --binary`;

const ROOT = join(import.meta.dir, "..");
const bun = process.execPath;
const tool = (name: string) => join(ROOT, "node_modules", ".bin", name);

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

/** Runs a command, shows its output, and returns its exit code and text. */
async function run(command: readonly string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "pipe",
    env: makeEnvironment(),
  });
  const [out, err, code] = await Promise.all([show(child.stdout), show(child.stderr), child.exited]);
  return { code, text: out + err };
}

/** Prints whole lines only, since two runs print at once. */
async function show(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const read: string[] = [];
  let waiting = "";
  for await (const bytes of stream) {
    const text = waiting + decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    process.stdout.write(text.slice(0, end));
    read.push(text.slice(0, end));
    waiting = text.slice(end);
  }
  process.stdout.write(waiting);
  return read.join("") + waiting;
}

/** The binary that tests start as processes (`harness/program.ts`). Null before it is built, and if it can't be. */
let built: string | null = null;

/** Removes proxies before loopback, the machine's provider keys, and ceilings on what the tests start. */
function makeEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/_proxy$/i.test(name) && !/_API_KEY$|^POUNDKEY_STORE$/.test(name),
  );
  const environment: Record<string, string> = { BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" };
  if (built !== null) environment.POUNDKEY_BUILT = built;
  for (const [name, value] of kept) environment[name] = value ?? "";
  return environment;
}

const total: Count = { passed: 0, failed: 0, skipped: 0 };

function add(code: number, text: string): void {
  const count = (word: string) =>
    Number([...text.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  const failed = count("fail");
  total.passed += count("pass");
  total.failed += code !== 0 && failed === 0 ? 1 : failed;
  total.skipped += count("skip");
}

/** Types and format, which a run of selected files skips. */
const CHECKS = [
  ["types", [bun, tool("tsc"), "--noEmit"]],
  ["format", [bun, tool("biome"), "check", "."]],
] as const;

/** Returns whether the command succeeds, which counts as a test. */
async function check(name: string, command: readonly string[]): Promise<boolean> {
  const { code } = await run(command);
  console.log(`${code === 0 ? "(pass)" : "(fail)"} ${name}`);
  if (code === 0) total.passed++;
  else total.failed++;
  return code === 0;
}

async function checkAll(): Promise<void> {
  for (const [name, command] of CHECKS) await check(name, command);
}

/** Builds the binary for the tests that start processes: a start from the sources takes three times the CPU. */
async function build(folder: string): Promise<void> {
  const file = join(folder, "poundkey");
  if (await check("build", [bun, "src/app/build/build.ts", "--outfile", file])) built = file;
}

/** Ends a test that hangs. A test that computes for 20 s may take ten times as long beside other work. */
const TIMEOUT_MS = 300_000;

async function test(flags: readonly string[]): Promise<void> {
  const { code, text } = await run([bun, "test", "--timeout", String(TIMEOUT_MS), ...flags]);
  add(code, text);
}

/**
 * Only run on request: benchmarks would fail on a busy machine, agents, Python and the clouds' libraries aren't installed with
 * the project, and the console's tests take minutes in Chromium, and run against the binary anyway.
 */
const APART = [
  "test/bench/",
  "test/agents/",
  "test/python/",
  "test/console/",
  "test/transport/auth/vendors/",
];
/**
 * Tests that start processes, threads and database servers wait for those most of the time, so many run at once beside
 * the tests that compute. Both pools together keep two cores busy.
 */
const POOLS = [
  { atOnce: 6, starts: true },
  { atOnce: 2, starts: false },
];

/** Runs the files in two pools beside each other, each with the longest first. */
async function testAll(graph: Graph, files: readonly string[]): Promise<void> {
  const timings = new MeasuredTimings();
  const folder = mkdtempSync(join(tmpdir(), "poundkey-built-"));
  const building = build(folder);
  await Promise.all(
    POOLS.map(async ({ atOnce, starts }) => {
      if (starts) await building;
      const own = files.filter((file) => graph.startsProcesses(file) === starts);
      const paths = own.map((file) => `./${file}`);
      if (paths.length > 0)
        await test([`--parallel=${atOnce}`, "--no-isolate", ...timings.makeFlags(), ...paths]);
    }),
  );
  rmSync(folder, { recursive: true, force: true });
  if (timings.keep(files))
    console.log("test/runner/timings.data.json lacked many files and has been written: commit it.");
}

/** Scenarios, SDKs and commands that start the binary if there is one. Otherwise their gateways run in the test's process. */
const ON_BINARY = [
  "test/cli/backup",
  "test/cli/restore",
  "test/cli/samples",
  "test/cli/store-commands",
  "test/store/checkpoints",
  "test/store/slow-reads",
  "test/app/restart",
  "test/app/retired",
  "test/app/workers",
  "test/http/",
  "test/whole/",
  "test/mistakes/",
  "test/clients/",
  "test/console/",
  "test/python/",
];
const AT_ONCE_ON_BINARY = 2;

/** Runs chosen files at once, which have no order of their own. */
async function testFiles(atOnce: number, files: readonly string[]): Promise<void> {
  if (files.length > 0)
    await test([`--parallel=${atOnce}`, "--no-isolate", ...files.map((file) => `./${file}`)]);
}

/** Of the files that import a central one, there are hundreds. */
const NEAREST_MAX = 60;

async function main(args: readonly string[]): Promise<void> {
  const [first = "", ...rest] = args;
  const isIn = (words: readonly string[]) => (file: string) => words.some((word) => file.startsWith(word));
  if (first === "--help") {
    console.log(HELP);
    process.exit(0);
  }
  const graph = await readGraph(ROOT);
  if (first === "--binary") return testFiles(AT_ONCE_ON_BINARY, graph.tests.filter(isIn(ON_BINARY)));
  if (first === "--near") {
    const near = graph.rankNear(rest).slice(0, NEAREST_MAX);
    console.log(`the ${near.length} nearest test files that import ${rest.join(", ")}`);
    return testFiles(2, near);
  }
  if (args.length > 0 && first !== "--without-binary") return test(args);
  const left = first === "--without-binary" ? [...APART, ...ON_BINARY] : APART;
  const files = graph.tests.filter((file) => !isIn(left)(file));
  await Promise.all([checkAll(), testAll(graph, files)]);
}

await main(process.argv.slice(2));
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 ? 0 : 1);
