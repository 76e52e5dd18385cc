// A failure that the main line had before a change: it is passed over once, and then it is the next but one's own.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeTries } from "../verdicts.ts";
import { openMainLine } from "./main-line.ts";

const FILE = "test/console/forms.test.ts";
const SAYS = "main is red since 1234567~3..1234567";
const STEP = { name: "console", needs: [], minutes: 1, work: { under: ["test/console/"], atOnce: 1 } };

let cache = "";
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "poundkey-red-"));
  writeFileSync(join(cache, "red.json"), JSON.stringify([{ file: FILE, count: 10, says: SAYS }]));
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

const open = (count: number) => openMainLine(cache, cache, { base: "1234567", count, files: [] });

test("a file that the main line was red with runs again, whatever third is due", () => {
  expect(open(11).owed).toEqual(new Set([FILE]));
});

test("the next change passes with the commits, and the next but one is red", async () => {
  expect(await open(11).judge(FILE, STEP)).toBe(SAYS);
  expect(await open(12).judge(FILE, STEP)).toBeNull();
});

test("once it passes it is forgotten", () => {
  open(11).settle(FILE);
  expect(readFileSync(join(cache, "red.json"), "utf8")).toBe("[]");
});

test("a failure of the main line is green, and says since when", () => {
  const trial = { rows: [], rowsBefore: [], reaches: () => true, today: "2026-11-28" };
  const tried = [{ file: FILE, titles: ["a form"], hasPassed: false, isRedBefore: SAYS }];
  expect(judgeTries({ ...trial, tried })).toMatchObject([{ isGreen: true, says: SAYS }]);
});
