// Breaks the code in one place at a time, which the tests must catch.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openCache } from "../ci/cache.ts";
import { readChange } from "../ci/change.ts";
import { THIRDS } from "../ci/thirds/thirds.ts";
import { readGraph } from "../runner/graph.ts";
import { makeCosts } from "../runner/timings.ts";
import { ROOT } from "../tidy/sources.ts";
import { MUTANTS } from "./all.ts";
import {
  aimAt,
  type Catch,
  type Catches,
  DAYS_ALONE,
  digestCatch,
  readCatch,
  readCatches,
  writeCatches,
} from "./caught.ts";
import { type Mutant, mutated } from "./mutant.ts";
import { Budget } from "./trial/budget.ts";
import { orderMutants } from "./trial/order.ts";
import { type Purse, type Run, runTests, stopLeft } from "./trial/tests.ts";

const HELP = `usage: bun test/mutants/run.ts [--all] [PART OF A NAME]
  For a minute of CPU: the mutants whose code or test has changed since they were last caught, those of a changed file, and
  then all others, the nearest to the change first. Of these a third, by the main line's commits.
  With --all or a part of a name, all of them or those of this name, however long it takes.
  UPDATE_CAUGHT=1 records the test that caught each.`;

/** Seconds of CPU of a run without --all, and the most of one mutant. */
const USUAL = { all: 60, one: 20 };
const COPIED = ["src", "test", "package.json", "tsconfig.json", "bunfig.toml"];
const AT_ONCE = 2;
/** Ends a test that hangs, which catches a mutant if it has caught it before. */
const ONE_MAX_MS = 120_000;
/** Enough to see that days are lived through in a copy. Their own step looks at many. */
const SOUND_DAYS = "4";
const DEFAULT_TESTS = ["test/sim/sim.test.ts"];
const WORDS_MAX = 90;

interface Verdict {
  readonly mutant: Mutant;
  /** One is left if its tests took all of their CPU before they caught it or had all passed. */
  readonly fate: "caught" | "MISSED" | "left";
  readonly seconds: string;
  /** Describes how it was caught. */
  readonly words: string;
  readonly by: Catch | null;
}

const graph = await readGraph(ROOT);

function makeCopy(folder: string, number: number): string {
  const copy = join(folder, String(number));
  for (const one of COPIED) cpSync(join(ROOT, one), join(copy, one), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function describeFailure(output: string): string {
  const [words] = /^SIM_SEED=.*$|^error: .*$|^\(fail\) .*$/m.exec(output) ?? ["they came to no end"];
  return words;
}

/** Returns the files of a mutant's tests, the cheapest first: the first that fails has caught it. */
function listTests({ tests: parts = DEFAULT_TESTS }: Mutant): readonly string[] {
  const costOf = makeCosts();
  return graph.tests
    .filter((file) => parts.some((part) => file.includes(part)))
    .toSorted((one, other) => costOf(one) - costOf(other));
}

interface Caught extends Run {
  /** The test that caught it, if that is known. */
  readonly by: Catch | null;
}

/** First tries the test that caught it the last time, then all of its tests. */
async function catchMutant(copy: string, purse: Purse, mutant: Mutant, last?: Catch): Promise<Caught | null> {
  if (last !== undefined) {
    const { flags, env } = aimAt(last);
    const days: Record<string, string> = last.seed === undefined ? {} : { SIM_DAYS: "1" };
    const run = await runTests(copy, purse, { flags, env: { ...env, ...days }, timeMaxMs: ONE_MAX_MS });
    // A test that hangs names nothing, but it was the only one.
    const again = { ...last, digest: digestCatch(mutant, last) };
    if (run.isCut) return { ...run, by: null };
    if (run.hasFailed || !run.hasEnded)
      return { ...run, hasFailed: true, by: readCatch(mutant, run.output) ?? again };
  }
  for (const file of listTests(mutant)) {
    const run = await runTests(copy, purse, { flags: [`./${file}`] });
    if (run.hasFailed || run.isCut) return { ...run, by: readCatch(mutant, run.output) };
  }
  return null;
}

async function judge(copy: string, purse: Purse, mutant: Mutant, last: Catch | undefined): Promise<Verdict> {
  const path = join(copy, mutant.file);
  const original = readFileSync(path, "utf8");
  const startedMs = performance.now();
  const decide = (fate: Verdict["fate"], words: string, by: Catch | null = null): Verdict => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    return { mutant, fate, seconds, words: words.slice(0, WORDS_MAX), by };
  };
  try {
    writeFileSync(path, mutated(original, mutant));
    const run = await catchMutant(copy, purse, mutant, last);
    if (run === null) return decide("MISSED", "NOT SEEN");
    return run.isCut
      ? decide("left", "its tests take longer")
      : decide("caught", describeFailure(run.output), run.by);
  } catch (error) {
    return decide("MISSED", String(error));
  } finally {
    writeFileSync(path, original);
    stopLeft(copy);
  }
}

/** Throws if the tests fail without any mutant: what they catch would prove nothing. */
async function proveSound(copy: string, purse: Purse): Promise<void> {
  const env = { SIM_DAYS: SOUND_DAYS };
  const flags = [...DAYS_ALONE, ...DEFAULT_TESTS];
  const { hasFailed, hasEnded, output } = await runTests(copy, purse, { flags, env });
  if (hasFailed || !hasEnded)
    throw new Error(`The tests fail without any mutant: ${describeFailure(output)}`);
}

function show({ mutant, fate, seconds, words }: Verdict): void {
  console.log(`${fate.padEnd(6)} ${seconds.padStart(5)} s  ${mutant.name.padEnd(50)} ${words}`);
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

/** Tries them two at once, until none is left or the budget is used up. Without one, all are tried. */
async function judgeAll(
  mutants: readonly Mutant[],
  catches: Catches,
  budget: Budget | null,
): Promise<readonly Verdict[]> {
  const record = makeRecorder(catches);
  const folder = mkdtempSync(join(tmpdir(), "poundkey-mutants-"));
  const waiting = mutants.values();
  const verdicts: Verdict[] = [];
  /** Returns null if it was not begun. */
  const spend = async <Result>(run: (purse: Purse) => Promise<Result>): Promise<Result | null> => {
    const seconds = budget === null ? Number.POSITIVE_INFINITY : budget.take();
    if (seconds === null) return null;
    const purse = { seconds };
    const result = await run(purse);
    budget?.giveBack(purse.seconds);
    return result;
  };
  const judgeNext = async (copy: string, purse: Purse): Promise<boolean> => {
    const { value: mutant } = waiting.next();
    if (mutant === undefined) return false;
    const verdict = await judge(copy, purse, mutant, catches[mutant.name]);
    show(verdict);
    record(verdict);
    verdicts.push(verdict);
    return true;
  };
  const work = async (copy: string) => {
    while (await spend((purse) => judgeNext(copy, purse)));
  };
  try {
    const [first = "", ...others] = Array.from({ length: AT_ONCE }, (_, number) => makeCopy(folder, number));
    const proving = spend((purse) => proveSound(first, purse));
    await Promise.all([proving.then(() => work(first)), ...others.map(work)]);
    return verdicts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Wish {
  readonly all: boolean;
  readonly part: string | undefined;
}

/** Throws an Error if the flags aren't those of the usage. */
function readWish(args: readonly string[]): Wish {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { all: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  return { all: values.all, part: positionals[0] };
}

/** Returns those to try by the change, in their order. The budget may end before them. */
async function order(catches: Catches): Promise<readonly Mutant[]> {
  const { files, push } = await readChange(ROOT, openCache());
  const near = graph.rankNear(files ?? []);
  const third = push === null ? null : push.count % THIRDS;
  return orderMutants(MUTANTS, { catches, files: files ?? [], near, third, costOf: makeCosts() });
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  const { all, part } = readWish(args);
  const catches = readCatches();
  const isBound = !all && part === undefined;
  const mutants = isBound ? await order(catches) : MUTANTS.filter(({ name }) => name.includes(part ?? ""));
  console.log(`${mutants.length} of ${MUTANTS.length} mutants`);
  const budget = isBound ? new Budget(USUAL.all, USUAL.one) : null;
  const verdicts = mutants.length === 0 ? [] : await judgeAll(mutants, catches, budget);
  const count = (fate: Verdict["fate"]) => verdicts.filter((one) => one.fate === fate).length;
  const judged = count("caught") + count("MISSED");
  if (judged < mutants.length) console.log(`\n${mutants.length - judged} left for the long form`);
  console.log(`\n${count("caught")} passed, ${count("MISSED")} failed`);
  return count("MISSED") === 0 ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
