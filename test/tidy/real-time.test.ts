// Tests and real time: nothing is registered where it runs for one file only, and waits by the machine's clock are a list that falls.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import listed from "./real-time.data.json" with { type: "json" };
import { expectNone, ROOT, readSources, type Source } from "./sources.ts";

/** Benchmarks measure time, the program that runs all tests watches it, and the rules below quote it. */
const OTHERS = /^test\/(bench\/|tidy\/|(ci|runner)\/.*(?<!\.test)\.ts$)/;
const tests = readSources("test").filter(({ path }) => !OTHERS.test(path));

const TEST_FILE = /\.test\.tsx?$/;
const REGISTERS = /^(describe|test|(before|after)(Each|All))\b[.(]/;

test("only test files and what is loaded before them register at their top level", () => {
  // Bun runs a worker's files in one registry of modules, so a helper's hook would belong to the first file that imports it.
  const preloaded = readFileSync(join(ROOT, "bunfig.toml"), "utf8");
  expectNone(
    tests
      .filter(({ path }) => !TEST_FILE.test(path) && !preloaded.includes(`"./${path}"`))
      .flatMap(({ path, lines }) =>
        lines.flatMap((line, at) => (REGISTERS.test(line) ? [`${path}:${at + 1}: ${line}`] : [])),
      ),
  );
});

/** A sleep of more than 50 ms, or of a time that is computed. */
const SLEEP = /\bBun\.sleep\((?!(?:\d|[1-4]\d|50)\))/g;
/** An assertion on time that has passed. */
const TIMED =
  /\bexpect\((?:performance\.now\(\) - |Date\.now\(\) - |\w*(?:took|elapsed|resolved|waited)\w*\)\.toBe(?:Less|With))|\.toBe(?:Less|With)\w*\([^)]*performance\.now\(\)/gi;
/** A test's or a file's own limit, in milliseconds. */
const LIMIT =
  /^\s*\}, ([\d_]+)\);$|\bsetDefaultTimeout\(([\d_]+)\)|^const (?:\w*TEST|LONG|TIMEOUT|PATIENT|NODES)_MS = ([\d_]+);/gm;
/** `run.ts` ends every other test after it. */
const USUAL_LIMIT_MS = 60_000;

const countSleeps = ({ text }: Source) => [...text.matchAll(SLEEP)].length;
const countTimed = ({ text }: Source) => [...text.matchAll(TIMED)].length;
const countLong = ({ text }: Source) =>
  [...text.matchAll(LIMIT)].filter(
    ([, ...found]) => Number(found.find(Boolean)?.replaceAll("_", "")) > USUAL_LIMIT_MS,
  ).length;

function countBy(count: (source: Source) => number): Readonly<Record<string, number>> {
  return Object.fromEntries(
    tests
      .map((source) => [source.path, count(source)] as const)
      .filter(([, found]) => found > 0)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

// A wait for a condition (`until`) or a clock that moves on command (`harness/manual-clock.ts`) takes their place. A change
// that removes one takes it off the list; none is added.
test("sleeps above 50 ms are those of the list, which falls", () => {
  expect(countBy(countSleeps)).toEqual(listed.sleeps);
});

test("asserts on elapsed time are those of the list, which falls", () => {
  expect(countBy(countTimed)).toEqual(listed.timed);
});

test("limits of more than a minute are those of the list, which falls", () => {
  expect(countBy(countLong)).toEqual(listed.patient);
});

test.each([
  ["await Bun.sleep(600);", 1],
  ["await Bun.sleep(WAIT_MS);", 1],
  ["await Bun.sleep(50);", 0],
  ["await Bun.sleep(0);", 0],
])("%s", (text, count) => {
  expect(countSleeps({ path: "", room: "", text, lines: [], imports: [], codeImports: [] })).toBe(count);
});

test.each([
  ["expect(performance.now() - before).toBeLessThan(4500);", 1],
  ["expect(tookMs).toBeLessThan(NEVER_MS);", 1],
  ["expect(resolvedMs).toBeLessThan(RESOLVED_MS);", 1],
  ["expect(figures.longestMs).toBeLessThanOrEqual(2500);", 0],
  ["expect(took).toEqual([1]);", 0],
])("%s", (text, count) => {
  expect(countTimed({ path: "", room: "", text, lines: [], imports: [], codeImports: [] })).toBe(count);
});
