// The program behind `npm test`: runs everything and ends with one line, `N passed, N failed`.
import { join } from "node:path";

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
    env: testEnvironment(),
  });
  const [out, err, code] = await Promise.all([shown(child.stdout), shown(child.stderr), child.exited]);
  return { code, text: out + err };
}

async function shown(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    process.stdout.write(bytes);
    text += decoder.decode(bytes, { stream: true });
  }
  return text;
}

/** Removes proxies before loopback, the machine's provider keys, and ceilings on what the tests start. */
function testEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/_proxy$/i.test(name) && !/_API_KEY$|^POUNDKEY_STORE$/.test(name),
  );
  const environment: Record<string, string> = { BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" };
  for (const [name, value] of kept) environment[name] = value ?? "";
  return environment;
}

function countOf(text: string, word: string): number {
  const lines = [...text.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))];
  return Number(lines.at(-1)?.[1] ?? 0);
}

const total: Count = { passed: 0, failed: 0, skipped: 0 };

/** Types and format, which a run of selected files skips. */
const CHECKS = [
  ["types", [bun, tool("tsc"), "--noEmit"]],
  ["format", [bun, tool("biome"), "check", "."]],
] as const;

const asked = process.argv.slice(2);
for (const [name, command] of asked.length === 0 ? CHECKS : []) {
  const { code } = await run(command);
  console.log(`${code === 0 ? "(pass)" : "(fail)"} ${name}`);
  if (code === 0) total.passed++;
  else total.failed++;
}

/**
 * Only run on request: benchmarks would fail on a busy machine, agents and Python need programs that aren't installed
 * with the project, and the console's tests take minutes in Chromium, and run against the binary anyway.
 */
const APART = ["bench", "agents", "python", "console"].flatMap((name) => [
  "--path-ignore-patterns",
  `test/${name}/**`,
]);
/** Three files at once on two cores, because most of them wait for other processes half of the time. */
const AT_ONCE = ["--parallel=3", "--no-isolate"];
/** With the files' durations the longest start first, so that no worker is left alone with one at the end. */
const TIMINGS = [
  ...["--timings", "test/timings.json"],
  ...(process.env.UPDATE_TIMINGS ? ["--update-timings"] : []),
];
const chosen = asked.length > 0 ? asked : [...AT_ONCE, ...TIMINGS, ...APART];
const { code, text } = await run([bun, "test", "--timeout", "60000", ...chosen]);
total.passed += countOf(text, "pass");
total.failed += countOf(text, "fail");
total.skipped += countOf(text, "skip");
if (code !== 0 && countOf(text, "fail") === 0) total.failed++;

const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 ? 0 : 1);
