// The third that is due: by the main line's commits, whole where the subject changed, and each file in one of them.
import { expect, test } from "bun:test";
import { today } from "../../drills/budgets.ts";
import { readGraph } from "../../runner/graph.ts";
import { expectNone, ROOT } from "../../tidy/sources.ts";
import { assignFiles } from "../assign.ts";
import { findBase, readAt } from "../prove-changes.ts";
import { makeSteps } from "../steps.ts";
import { FOLLOWS_FILE, type FollowsRecord, findDue, findThird, readFollows, THIRDS } from "./thirds.ts";

const record = readFollows(ROOT);
const { follows } = record;
const PUSH = { base: "a", count: 7, files: ["src/core/text/words.ts"] };
const CONSOLE = { console: ["src/console/"] };

test("each step that follows a subject is there, and so is what it follows", async () => {
  const names = new Set(
    makeSteps({ isLong: false, hasRecordings: true, base: null }).map(({ name }) => name),
  );
  expectNone(Object.keys(follows).filter((name) => !names.has(name)));
  const { has } = await readGraph(ROOT);
  expect(has("src/main.ts")).toBe(true);
  const folders = Object.values(follows).flat();
  const found = folders.filter((folder) => [...new Bun.Glob(`${folder}**`).scanSync(ROOT)].length > 0);
  expect(found).toEqual(folders);
});

test("three runs see each file once", async () => {
  const files = assignFiles(
    makeSteps({ isLong: false, hasRecordings: true, base: null }),
    await readGraph(ROOT),
  );
  for (const name of Object.keys(follows)) {
    const thirds = (files.get(name) ?? []).map(findThird);
    expectNone(thirds.filter((third) => !(third >= 0 && third < THIRDS)).map(String));
  }
  const console = (files.get("console") ?? []).map(findThird);
  expect(new Set(console).size).toBe(THIRDS);
});

test("the commits of the main line say which third is due, and a changed subject runs whole", () => {
  const dueAt = (count: number) => findDue("console", { ...PUSH, count }, CONSOLE);
  expect([3, 4, 5, 6].map(dueAt)).toEqual([0, 1, 2, 0]);
  expect(findDue("console", { ...PUSH, files: ["src/console/main.tsx"] }, CONSOLE)).toBeNull();
  expect(findDue("console", null, CONSOLE)).toBeNull();
  expect(findDue("rooms", PUSH, CONSOLE)).toBeNull();
});

const base = findBase(ROOT);
const before = base === null ? null : readAt(ROOT, base, FOLLOWS_FILE);

test.skipIf(before === null)("no step follows less than before, without a debt", () => {
  const known: FollowsRecord = JSON.parse(before ?? "{}");
  const isOwed = (step: string, folder: string) =>
    record.debts.some(
      (one) => one.step === step && one.folder === folder && one.reason && one.until >= today,
    );
  const gone = Object.entries(known.follows).flatMap(([step, folders]) =>
    folders.filter((folder) => !follows[step]?.includes(folder) && !isOwed(step, folder)),
  );
  expectNone(gone);
});
