// The rows of the whole run: each test file is in one of them, and each need is met.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readGraph } from "../runner/graph.ts";
import { expectNone, ROOT } from "../tidy/sources.ts";
import { assignFiles } from "./assign.ts";
import { FLAKY_FILE, NEVER_AGAIN, readRows } from "./flaky.ts";
import { INSTALLS } from "./installs.ts";
import { schedule } from "./schedule.ts";
import { makeSteps } from "./steps.ts";

const graph = await readGraph(ROOT);

test.each([false, true])("each step can run, and has work (long: %p)", async (isLong) => {
  const steps = makeSteps(isLong);
  const files = assignFiles(steps, graph);
  expectNone(steps.filter(({ name, work }) => "under" in work && !files.has(name)).map(({ name }) => name));
  const ran: string[] = [];
  await schedule(steps, {
    room: 2.2,
    ended: new Set(INSTALLS.map(({ name }) => name)),
    expect: () => 1,
    run: async ({ name }) => void ran.push(name),
  });
  expect(ran.toSorted()).toEqual(steps.map(({ name }) => name).toSorted());
});

test("each test file is in one step", () => {
  const assigned = [...assignFiles(makeSteps(false), graph).values()].flat();
  expect(assigned.toSorted()).toEqual([...graph.tests]);
});

test("a step with tests that need an install waits for it", () => {
  const files = assignFiles(makeSteps(false), graph);
  const folders = INSTALLS.flatMap(({ from }) =>
    from.map((file) => file.slice(0, file.lastIndexOf("/") + 1)),
  );
  const waiting = makeSteps(false).filter(({ needs }) => needs.some((need) => /^(pip|npm)-/.test(need)));
  const theirs = new Set(waiting.flatMap(({ name }) => files.get(name) ?? []));
  expectNone(
    graph.tests.filter((file) => folders.some((folder) => file.startsWith(folder)) && !theirs.has(file)),
  );
});

test("each install is needed by a step, and the files that name it are there", () => {
  const needs = new Set(makeSteps(false).flatMap((step) => step.needs));
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
