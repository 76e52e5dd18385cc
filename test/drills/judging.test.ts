// The budgets themselves: how counts are judged by them and by the debts, and what a run writes down.
import { describe, expect, test } from "bun:test";
import { expectNone } from "../tidy/sources.ts";
import { isGuideRight, readRecord, today } from "./budgets.ts";
import { type BudgetRecord, findLower, judge, judgeDebts, lower } from "./judging.ts";

const DAY = "2026-11-28";
const DEBT = { budget: "a chat", of: "lines", value: 3479, reason: "five doors", until: "2027-01-31" };
const RECORD: BudgetRecord = {
  budgets: {
    "a chat": { files: { lowest: 177 }, lines: { lowest: 3479, aim: 2500 }, objects: { lowest: 390 } },
    "members: Store": { members: { lowest: 66 } },
  },
  debts: [DEBT],
};
const withDebts = (...debts: BudgetRecord["debts"]): BudgetRecord => ({ ...RECORD, debts });

describe("what is counted", () => {
  test("is within its budget, and code and members exactly so", () => {
    expect(judge("a chat", { files: 177, lines: 3479, objects: 405 }, RECORD, DAY)).toEqual([]);
    expect(judge("a chat", { files: 178 }, RECORD, DAY)).toEqual([]);
    expect(judge("a chat", { files: 179 }, RECORD, DAY)).toEqual([
      "a chat: 179 files are above 177, and no debt allows them",
    ]);
    expect(judge("members: Store", { members: 67 }, RECORD, DAY)).toEqual([
      "members: Store: 67 members are above 66, and no debt allows them",
    ]);
    expect(judge("a chat", { objects: 406 }, RECORD, DAY)).toHaveLength(1);
  });

  test("is red without a budget, and if it wasn't counted", () => {
    expect(judge("a chat", { pages: 8, files: Number.NaN }, RECORD, DAY)).toEqual([
      "a chat: 8 pages have no budget; UPDATE_BUDGETS=1 records them",
      "a chat: files were not counted",
    ]);
  });

  test("is red above its aim unless a debt allows it, up to the debt's value and to its day", () => {
    expect(judge("a chat", { lines: 3479 }, withDebts(), DAY)).toEqual([
      "a chat: 3479 lines are above 2500, and no debt allows them",
    ]);
    expect(judge("a chat", { lines: 3520 }, RECORD, DAY)).toEqual([
      "a chat: 3520 lines are above the debt of 3479",
    ]);
    expect(judge("a chat", { lines: 3479 }, RECORD, "2027-01-31")).toEqual([]);
    expect(judge("a chat", { lines: 3479 }, RECORD, "2027-02-01")).toEqual([
      "a chat: the debt of 3479 lines was due on 2027-01-31",
    ]);
  });

  test("may be above its lowest for a debt that says so, which is red once it isn't needed", () => {
    const record = withDebts(DEBT, { ...DEBT, of: "files", value: 190 });
    expect(judge("a chat", { files: 190 }, record, DAY)).toEqual([]);
    expect(judge("a chat", { files: 177 }, record, DAY)).toEqual([
      "a chat: 177 files are within 177, so the debt of 190 is no longer needed",
    ]);
    expect(judge("a chat", { lines: 2500 }, RECORD, DAY)).toHaveLength(1);
  });
});

test("a debt has one budget, a reason and a day that hasn't passed", () => {
  expect(judgeDebts(RECORD, DAY)).toEqual([]);
  const wrong = withDebts(
    DEBT,
    { ...DEBT, reason: " " },
    { ...DEBT, of: "doors" },
    { ...DEBT, of: "files", until: "soon" },
    { ...DEBT, of: "objects", until: "2026-11-27" },
  );
  expect(judgeDebts(wrong, DAY)).toEqual([
    'the debt of 3479 lines for "a chat" is the second',
    'the debt of 3479 lines for "a chat" has no reason',
    'the debt of 3479 doors for "a chat" has no budget',
    'the debt of 3479 files for "a chat" has no day',
    'the debt of 3479 objects for "a chat" was due on 2026-11-27',
  ]);
});

describe("a run", () => {
  test("writes down what is lower by more than the tolerance, with the debt", () => {
    expect(findLower("a chat", { files: 176, lines: 3000, objects: 380 }, RECORD)).toEqual({ lines: 3000 });
    const { budgets, debts } = lower("a chat", { lines: 3000 }, RECORD);
    expect(budgets["a chat"]?.lines).toEqual({ lowest: 3000, aim: 2500 });
    expect(debts).toEqual([{ ...DEBT, value: 3000 }]);
  });

  test("raises nothing", () => {
    expect(lower("a chat", { files: 200, lines: 4000, objects: 500 }, RECORD)).toEqual(RECORD);
  });

  test("keeps what it didn't count, and takes in what is new", () => {
    const { budgets } = lower("a chat", { pages: 8 }, RECORD);
    expect(budgets["a chat"]).toEqual({ ...RECORD.budgets["a chat"], pages: { lowest: 8 } });
    expect(budgets["members: Store"]).toEqual({ members: { lowest: 66 } });
  });
});

test("the debts on record are sound", () => {
  expectNone(judgeDebts(readRecord(), today));
});

test("the guide has the budgets on record: `UPDATE_BUDGETS=1 bun test drills` writes them", () => {
  expect(isGuideRight()).toBe(true);
});
