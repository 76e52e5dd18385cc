// The rows of the whole run: each test file is in one of them, and each need is met.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readGraph } from "../runner/graph.ts";
import { expectNone, ROOT, readSources } from "../tidy/sources.ts";
import { assignFiles } from "./assign.ts";
import { FLAKY_FILE, NEVER_AGAIN, readRows } from "./flaky.ts";
import { INSTALLS } from "./installs/rows.ts";
import type { Step } from "./row.ts";
import { listWhole, makeEnvironment } from "./run-step.ts";
import { schedule } from "./schedule.ts";
import { BESIDE, type Course, makeSteps } from "./steps.ts";

const graph = await readGraph(ROOT);
const USUAL: Course = { isLong: false, hasRecordings: true, base: null };

test.each([false, true])("each step can run, and has work (long: %p)", async (isLong) => {
  const steps = makeSteps({ ...USUAL, isLong, base: "HEAD^" });
  const files = assignFiles(steps, graph);
  expectNone(steps.filter(({ name, work }) => "under" in work && !files.has(name)).map(({ name }) => name));
  const ran: string[] = [];
  await schedule(
    steps.map((step) => ({ ...step, cpu: 1 })),
    {
      room: 2.2,
      ended: new Set(INSTALLS.map(({ name }) => name)),
      expect: () => 1,
      run: async ({ name }) => void ran.push(name),
    },
  );
  expect(ran.toSorted()).toEqual(steps.map(({ name }) => name).toSorted());
});

/** A path to the folder beside the checkout, put together anywhere else. */
const HAND_MADE = /"shared",\s"data"|\.\.\/shared\/data["'`]/;
const isAboutRecordings = ({ work }: Step) => "under" in work && work.importing !== undefined;

test("each test file is in one step, whatever stands beside the checkout", () => {
  const steps = makeSteps({ ...USUAL, hasRecordings: false });
  expect([...assignFiles(steps, graph).values()].flat().toSorted()).toEqual([...graph.tests]);
  expectNone(steps.filter(isAboutRecordings).map(({ name }) => name));
});

test("the README's test command runs in a clone, and tests see recordings in a step of their own alone", () => {
  const steps = makeSteps(USUAL);
  const files = assignFiles(steps, graph);
  const clone = steps.find(({ gate, work }) => gate === "whole" && "command" in work && work.reportsFiles);
  expect(clone?.work).toMatchObject({ command: expect.arrayContaining(["npm test"]) });
  const seeing = steps.filter((step) => makeEnvironment(ROOT, step).TEST_BESIDE === undefined);
  const theirs = new Set(seeing.flatMap(({ name }) => files.get(name) ?? []));
  const able = graph.tests.filter((file) => graph.reach(file).has(BESIDE));
  expect(able).toContain("test/recorded/recorded.test.ts");
  expectNone(able.filter((file) => !theirs.has(file)));
  expectNone(
    seeing
      .filter(({ measures, work }) => "under" in work && !measures)
      .filter((one) => !isAboutRecordings(one))
      .map(({ name }) => name),
  );
});

test("a file of which a row was skipped, or that has none, runs again in its step", () => {
  const ran = { passed: 1, failed: [], skipped: 0, units: null };
  const files = [
    { ...ran, file: "passed" },
    { ...ran, file: "failed", passed: 0, failed: ["a row"] },
    { ...ran, file: "skipped in part", skipped: 1 },
    { ...ran, file: "without a row", passed: 0 },
  ];
  expect(listWhole(files)).toEqual(["passed", "failed"]);
});

test("what has data beside the checkout finds it in one place", () => {
  const readers = readSources("test").filter(({ path, text }) => path !== BESIDE && HAND_MADE.test(text));
  expectNone(readers.map(({ path }) => path));
});

test("a step with tests that need an install waits for it", () => {
  const files = assignFiles(makeSteps({ ...USUAL }), graph);
  const folders = INSTALLS.flatMap(({ from }) =>
    from.map((file) => file.slice(0, file.lastIndexOf("/") + 1)),
  );
  const waiting = makeSteps({ ...USUAL }).filter(({ needs }) =>
    needs.some((need) => /^(pip|npm)-/.test(need)),
  );
  const theirs = new Set(waiting.flatMap(({ name }) => files.get(name) ?? []));
  expectNone(
    graph.tests.filter((file) => folders.some((folder) => file.startsWith(folder)) && !theirs.has(file)),
  );
});

test("each install is needed by a step, and the files that name it are there", () => {
  const needs = new Set(makeSteps({ ...USUAL }).flatMap((step) => step.needs));
  expectNone(INSTALLS.filter(({ name }) => !needs.has(name)).map(({ name }) => name));
  expectNone(INSTALLS.flatMap(({ from }) => from).filter((file) => !existsSync(join(ROOT, file))));
});

test("each place that is never tried again has tests", () => {
  expectNone(NEVER_AGAIN.filter((start) => !graph.tests.some((file) => file.startsWith(start))));
});

test("each row of the list of flaky tests names a test file that may be tried again", () => {
  const rows = readRows(readFileSync(join(ROOT, FLAKY_FILE), "utf8"));
  const isBarred = (file: string) => NEVER_AGAIN.some((start) => file.startsWith(start));
  expectNone(
    rows.filter(({ file }) => !graph.tests.includes(file) || isBarred(file)).map(({ file }) => file),
  );
});
