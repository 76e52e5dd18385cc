// Breaks the code in one place at a time, which the tests must catch: `bun test/mutants/run.ts [part of a name]`.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MUTANTS } from "./all.ts";
import { type Mutant, mutated } from "./mutant.ts";

const ROOT = join(import.meta.dir, "..", "..");
const COPIED = ["src", "test", "package.json", "tsconfig.json", "bunfig.toml"];
const AT_ONCE = 2;
const TIME_MAX_MS = 120_000;
/** Enough simulated days to catch each of the mutants. More only cost time for a mutant that survives. */
const DAYS = "400";
const DEFAULT_TESTS = ["test/sim/sim.test.ts"];
const WORDS_MAX = 90;

interface Verdict {
  readonly mutant: Mutant;
  readonly caught: boolean;
  readonly seconds: string;
  /** Describes how it was caught. */
  readonly words: string;
}

function copyOf(folder: string, number: number): string {
  const copy = join(folder, String(number));
  for (const one of COPIED) cpSync(join(ROOT, one), join(copy, one), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** True if the tests pass in that copy, and the first failure that they report. */
async function tested(copy: string, tests: readonly string[]): Promise<{ passed: boolean; words: string }> {
  const child = Bun.spawn([process.execPath, "test", "--bail", "--timeout", "60000", ...tests], {
    cwd: copy,
    env: { ...process.env, SIM_DAYS: DAYS },
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIME_MAX_MS,
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const text = `${out}\n${err}`;
  // A copy whose tests can't even be loaded proves nothing.
  const ran =
    /^Ran \d+ tests?/m.test(text) &&
    !/^error: (Cannot find|Export named|".*" has already been declared)|Unhandled error between tests/m.test(
      text,
    );
  if (!ran && code !== null && !child.killed) throw new Error(`The tests could not be run:\n${text}`);
  const [words] = /^SIM_SEED=.*$|^error: .*$|^\(fail\) .*$/m.exec(text) ?? ["they came to no end"];
  return { passed: code === 0, words };
}

async function judged(copy: string, mutant: Mutant): Promise<Verdict> {
  const path = join(copy, mutant.file);
  const original = readFileSync(path, "utf8");
  const startedMs = performance.now();
  const verdict = (caught: boolean, words: string): Verdict => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    return { mutant, caught, seconds, words: words.slice(0, WORDS_MAX) };
  };
  try {
    writeFileSync(path, mutated(original, mutant));
    const { passed, words } = await tested(copy, mutant.tests ?? DEFAULT_TESTS);
    return verdict(!passed, passed ? "NOT SEEN" : words);
  } catch (error) {
    return verdict(false, String(error));
  } finally {
    writeFileSync(path, original);
    stopLeft(copy);
  }
}

/** The first failure ends a test before it stops what it started: a gateway in a session of its own would outlive the run. */
function stopLeft(copy: string): void {
  if (Bun.which("pkill") !== null) Bun.spawnSync(["pkill", "-KILL", "-f", `${copy}/src/`]);
}

/** Throws if the tests fail without any mutant: what they catch would prove nothing. */
async function unbroken(copy: string): Promise<void> {
  const { passed, words } = await tested(copy, DEFAULT_TESTS);
  if (!passed) throw new Error(`The tests fail without any mutant: ${words}`);
}

function show({ mutant, caught, seconds, words }: Verdict): void {
  console.log(`${caught ? "caught" : "MISSED"} ${seconds.padStart(5)} s  ${mutant.name.padEnd(50)} ${words}`);
}

async function main(): Promise<number> {
  const wanted = process.argv[2] ?? "";
  const mutants = MUTANTS.filter(({ name }) => name.includes(wanted));
  const folder = mkdtempSync(join(tmpdir(), "poundkey-mutants-"));
  try {
    const copies = Array.from({ length: AT_ONCE }, (_, number) => copyOf(folder, number));
    const waiting = [...mutants];
    const verdicts: Verdict[] = [];
    const work = async (copy: string) => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const verdict = await judged(copy, mutant);
        show(verdict);
        verdicts.push(verdict);
      }
    };
    const [first = "", ...others] = copies;
    await Promise.all([unbroken(first).then(() => work(first)), ...others.map(work)]);
    const missed = verdicts.filter(({ caught }) => !caught).length;
    console.log(`\n${verdicts.length - missed} passed, ${missed} failed`);
    return missed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exit(await main());
