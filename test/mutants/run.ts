// Breaks the code in one place at a time, which the tests must catch.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../tidy/sources.ts";
import { MUTANTS } from "./all.ts";
import {
  aimAt,
  type Catch,
  type Catches,
  digestCatch,
  isUnchanged,
  readCatch,
  readCatches,
  writeCatches,
} from "./caught.ts";
import { type Mutant, mutated } from "./mutant.ts";

const HELP = `usage: bun test/mutants/run.ts [--all] [PART OF A NAME]
  Without --all, only the mutants whose code or test has changed since they were last caught.
  UPDATE_CAUGHT=1 records the test that caught each.`;

const COPIED = ["src", "test", "package.json", "tsconfig.json", "bunfig.toml"];
const AT_ONCE = 2;
/** Ends a test that hangs, which catches a mutant if it has caught it before. */
const ONE_MAX_MS = 120_000;
/** All of a mutant's tests. Beyond that, nobody knows whether one would have failed. */
const ALL_MAX_MS = 600_000;
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
  readonly by: Catch | null;
}

interface Run {
  readonly hasFailed: boolean;
  readonly hasEnded: boolean;
  readonly output: string;
}

function makeCopy(folder: string, number: number): string {
  const copy = join(folder, String(number));
  for (const one of COPIED) cpSync(join(ROOT, one), join(copy, one), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Runs tests in that copy. They have failed if one of them has; a title that no test has any more fails nothing. */
async function runTests(
  copy: string,
  flags: readonly string[],
  env: Record<string, string> = {},
  timeMaxMs = ALL_MAX_MS,
): Promise<Run> {
  const child = Bun.spawn([process.execPath, "test", "--bail", "--timeout", "60000", ...flags], {
    cwd: copy,
    env: { ...process.env, LONG: "1", SIM_DAYS: DAYS, ...env },
    stdout: "pipe",
    stderr: "pipe",
    timeout: timeMaxMs,
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const output = `${out}\n${err}`;
  if (child.signalCode !== null) return { hasFailed: false, hasEnded: false, output };
  if (/^error: regex ".*" matched 0 tests/m.test(output)) return { hasFailed: false, hasEnded: true, output };
  // A copy whose tests can't even be loaded proves nothing.
  const hasRun =
    /^Ran \d+ tests?/m.test(output) &&
    !/^error: (Cannot find|Export named|".*" has already been declared)|Unhandled error between tests/m.test(
      output,
    );
  if (!hasRun) throw new Error(`The tests could not be run:\n${output}`);
  return { hasFailed: code !== 0 && /^\(fail\) /m.test(output), hasEnded: true, output };
}

function describeFailure(output: string): string {
  const [words] = /^SIM_SEED=.*$|^error: .*$|^\(fail\) .*$/m.exec(output) ?? ["they came to no end"];
  return words;
}

/** First tries the test that caught it the last time, then all of its tests. Returns what caught it too, if that is known. */
async function catchMutant(
  copy: string,
  mutant: Mutant,
  last: Catch | undefined,
): Promise<Run & { readonly by: Catch | null }> {
  if (last !== undefined) {
    const { flags, env } = aimAt(last);
    const days: Record<string, string> = last.seed === undefined ? {} : { SIM_DAYS: "1" };
    const run = await runTests(copy, flags, { ...env, ...days }, ONE_MAX_MS);
    // A test that hangs names nothing, but it was the only one.
    const again = { ...last, digest: digestCatch(mutant, last) };
    if (run.hasFailed || !run.hasEnded)
      return { ...run, hasFailed: true, by: readCatch(mutant, run.output) ?? again };
  }
  const run = await runTests(copy, mutant.tests ?? DEFAULT_TESTS);
  return { ...run, by: readCatch(mutant, run.output) };
}

async function judge(copy: string, mutant: Mutant, last: Catch | undefined): Promise<Verdict> {
  const path = join(copy, mutant.file);
  const original = readFileSync(path, "utf8");
  const startedMs = performance.now();
  const decide = (caught: boolean, words: string, by: Catch | null): Verdict => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    return { mutant, caught, seconds, words: words.slice(0, WORDS_MAX), by };
  };
  try {
    writeFileSync(path, mutated(original, mutant));
    const { hasFailed, output, by } = await catchMutant(copy, mutant, last);
    if (!hasFailed) return decide(false, "NOT SEEN", null);
    return decide(true, describeFailure(output), by);
  } catch (error) {
    return decide(false, String(error), null);
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
async function proveSound(copy: string): Promise<void> {
  const { hasFailed, hasEnded, output } = await runTests(copy, DEFAULT_TESTS, { SIM_DAYS: "40" });
  if (hasFailed || !hasEnded)
    throw new Error(`The tests fail without any mutant: ${describeFailure(output)}`);
}

function show({ mutant, caught, seconds, words }: Verdict): void {
  console.log(`${caught ? "caught" : "MISSED"} ${seconds.padStart(5)} s  ${mutant.name.padEnd(50)} ${words}`);
}

/** The mutants whose last result may no longer hold. */
function listChanged(catches: Catches): readonly Mutant[] {
  return MUTANTS.filter((mutant) => !isUnchanged(mutant, catches[mutant.name]));
}

/** Returns what records a catch as soon as it is known, so that a run that is given up loses none. */
function makeRecorder(catches: Catches): (verdict: Verdict) => void {
  const kept: Record<string, Catch> = { ...catches };
  return ({ mutant, by }) => {
    if (by === null || !process.env.UPDATE_CAUGHT) return;
    kept[mutant.name] = by;
    writeCatches(kept, MUTANTS);
  };
}

async function judgeAll(mutants: readonly Mutant[], catches: Catches): Promise<readonly Verdict[]> {
  const record = makeRecorder(catches);
  const folder = mkdtempSync(join(tmpdir(), "poundkey-mutants-"));
  try {
    const copies = Array.from({ length: AT_ONCE }, (_, number) => makeCopy(folder, number));
    const waiting = [...mutants];
    const verdicts: Verdict[] = [];
    const work = async (copy: string) => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const verdict = await judge(copy, mutant, catches[mutant.name]);
        show(verdict);
        record(verdict);
        verdicts.push(verdict);
      }
    };
    const [first = "", ...others] = copies;
    await Promise.all([proveSound(first).then(() => work(first)), ...others.map(work)]);
    return verdicts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  const catches = readCatches();
  const part = args.find((word) => !word.startsWith("--"));
  const chosen = args.includes("--all") || part !== undefined ? MUTANTS : listChanged(catches);
  const mutants = chosen.filter(({ name }) => part === undefined || name.includes(part));
  console.log(`${mutants.length} of ${MUTANTS.length} mutants`);
  const verdicts = mutants.length === 0 ? [] : await judgeAll(mutants, catches);
  const missed = verdicts.filter(({ caught }) => !caught).length;
  console.log(`\n${verdicts.length - missed} passed, ${missed} failed`);
  return missed === 0 ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
