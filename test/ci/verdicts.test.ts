// The second try: each way in which it must not turn a failure green, and the few in which it may.
import { expect, test } from "bun:test";
import type { FlakyRow } from "./flaky.ts";
import { judgeRows, judgeTries, type Trial, type Tried } from "./verdicts.ts";

const FILE = "test/http/tools/lists.test.ts";
const TITLE = "a list is whole";
const ROW: FlakyRow = { file: FILE, title: TITLE, cause: "two timers", since: "2026-11-25" };
const TRIED: Tried = { file: FILE, titles: [TITLE], hasPassed: true };

function trial(fields: Partial<Trial>): Trial {
  return {
    tried: [TRIED],
    rows: [],
    rowsBefore: fields.rows ?? [],
    reaches: () => false,
    today: "2026-11-28",
    ...fields,
  };
}

const judgeOne = (fields: Partial<Trial>) => judgeTries(trial(fields))[0];

test("a listed file that passes on its second try is green, also where the change reaches it", () => {
  const says = "FLAKY, as listed";
  expect(judgeOne({ rows: [ROW], reaches: () => true })).toMatchObject({ file: FILE, isGreen: true, says });
});

test("one that isn't listed is green only if the change doesn't reach it", () => {
  expect(judgeOne({})).toMatchObject({ isGreen: true, says: expect.stringContaining("FLAKY") });
  const red = judgeOne({ reaches: (file) => file === FILE });
  expect(red).toMatchObject({ isGreen: false });
  expect(red?.says).toContain(JSON.stringify({ ...ROW, cause: "…", since: "2026-11-28" }));
});

test("a row stands for its title, not for the file's others, and not for a file without an end", () => {
  const reaches = () => true;
  expect(judgeOne({ rows: [ROW], reaches, tried: [{ ...TRIED, titles: [TITLE, "another"] }] })).toMatchObject(
    {
      isGreen: false,
      says: expect.not.stringContaining(TITLE),
    },
  );
  expect(judgeOne({ rows: [ROW], reaches, tried: [{ ...TRIED, titles: [] }] })?.isGreen).toBe(false);
});

test("a file that fails twice is red, listed or not", () => {
  const tried = [{ ...TRIED, hasPassed: false }];
  expect(judgeOne({ rows: [ROW], tried })).toMatchObject({
    file: FILE,
    isGreen: false,
    says: "failed twice",
  });
  expect(judgeOne({ tried })?.isGreen).toBe(false);
});

test("a file that isn't tried again is red", () => {
  expect(judgeOne({ rows: [ROW], tried: [{ ...TRIED, hasPassed: null }] })?.isGreen).toBe(false);
});

test("three that pass on their second try are green, and four red whatever they are", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...TRIED, file: `test/${at}.test.ts` }));
  const rows = many(4).map(({ file }) => ({ ...ROW, file }));
  const areGreen = (count: number) =>
    judgeTries(trial({ rows, tried: many(count) })).map(({ isGreen }) => isGreen);
  expect(areGreen(3)).toEqual([true, true, true]);
  expect(areGreen(4)).toEqual([false, false, false, false]);
});

test("the list holds ten rows, and an eleventh is red", () => {
  const rows = Array.from({ length: 11 }, (_, at) => ({ ...ROW, title: `row ${at}` }));
  expect(judgeRows(trial({ rows: rows.slice(1) }))).toEqual([]);
  expect(judgeRows(trial({ rows }))).toEqual(["11 rows, of which there may be 10"]);
});

test.each([
  ["2026-11-21", 0],
  ["2026-11-20", 1],
  ["2026-11-29", 1],
  ["some day", 1],
])("a row since %s has %d faults on 28 November", (since, faults) => {
  expect(judgeRows(trial({ rows: [{ ...ROW, since }] }))).toHaveLength(faults);
});

test("a row without a cause is red", () => {
  expect(judgeRows(trial({ rows: [{ ...ROW, cause: "" }] }))).toHaveLength(1);
});

test("a change may not add or renew a row for a file that it reaches", () => {
  const reaches = () => true;
  expect(judgeRows(trial({ rows: [ROW], reaches }))).toEqual([]);
  expect(judgeRows(trial({ rows: [ROW], rowsBefore: [], reaches: () => false }))).toEqual([]);
  const added = `${FILE}: ${TITLE}: added by a change that reaches the file`;
  expect(judgeRows(trial({ rows: [ROW], rowsBefore: [], reaches }))).toEqual([added]);
  const older = { ...ROW, since: "2026-11-18" };
  expect(judgeRows(trial({ rows: [ROW], rowsBefore: [older], reaches }))).toEqual([added]);
});
