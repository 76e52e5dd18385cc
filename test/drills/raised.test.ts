// A change lowers the budgets, or says why not: the record beside that of the commit that it comes from.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectNone, ROOT } from "../tidy/sources.ts";
import { readRecord } from "./budgets.ts";
import type { BudgetRecord } from "./judging.ts";
import { listRaised, readBefore } from "./raised.ts";

const DEBT = { budget: "a chat", of: "lines", value: 3479, reason: "five doors", until: "2027-01-31" };
const BUDGETS: BudgetRecord["budgets"] = {
  "a chat": { files: { lowest: 177 }, lines: { lowest: 3400, aim: 2500 } },
};
const BEFORE: BudgetRecord = { budgets: BUDGETS, debts: [DEBT] };
const withChat = (counts: BudgetRecord["budgets"][string]): BudgetRecord => ({
  ...BEFORE,
  budgets: { "a chat": { ...BUDGETS["a chat"], ...counts } },
});
const withDebts = (...debts: BudgetRecord["debts"]): BudgetRecord => ({ ...BEFORE, debts });

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "poundkey-raised-"));
  mkdirSync(join(root, "test/drills"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...words: readonly string[]): void {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  const { success, stderr } = Bun.spawnSync(["git", ...author, "-C", root, ...words]);
  if (!success) throw new Error(stderr.toString());
}

/** Commits the record, after which a change of the work begins. */
function commit(record: BudgetRecord): void {
  writeFileSync(join(root, "test/drills/budgets.data.json"), JSON.stringify(record));
  git("add", "-A");
  git("commit", "-qm", "a step");
}

const NAMED: readonly (readonly [string, BudgetRecord, string])[] = [
  ["a raised budget", withChat({ files: { lowest: 178 } }), "the budget of 177 files was raised to 178"],
  [
    "a raised budget with a debt",
    { ...withChat({ lines: { lowest: 3410, aim: 2500 } }), debts: [{ ...DEBT, reason: "six doors" }] },
    "the budget of 3400 lines was raised to 3410",
  ],
  [
    "a raised aim",
    withChat({ lines: { lowest: 3400, aim: 2600 } }),
    "the aim of 2500 lines was raised to 2600",
  ],
  ["an aim taken away", withChat({ lines: { lowest: 3400 } }), "the aim of 2500 lines was taken away"],
  ["a debt grown for the same reason", withDebts({ ...DEBT, value: 3500 }), "became 3500 until 2027-01-31"],
  [
    "a day put off for the same reason",
    withDebts({ ...DEBT, until: "2027-03-31" }),
    "became 3479 until 2027-03-31",
  ],
];

test.skipIf(!Bun.which("git")).each(NAMED)("%s is red on a branch, and named", (_, after, words) => {
  git("init", "-q");
  commit(BEFORE);
  git("checkout", "-qb", "work");
  commit(after);
  const before = readBefore(root);
  expect(before).toEqual(BEFORE);
  const raised = listRaised(before ?? after, after);
  expect(raised).toEqual([expect.stringContaining(words)]);
  expect(raised[0]).toStartWith("a chat: ");
});

test.skipIf(!Bun.which("git"))(
  "what falls, what is new, a new debt and one with another reason may be",
  () => {
    git("init", "-q");
    commit(BEFORE);
    const record = { ...BUDGETS, "an embedding": { files: { lowest: 160 } } };
    const newDebt = { ...DEBT, of: "files", value: 190 };
    const after: BudgetRecord = {
      budgets: { ...record, "a chat": { files: { lowest: 170 }, lines: { lowest: 3300, aim: 2400 } } },
      debts: [newDebt, { ...DEBT, value: 3600, until: "2027-03-31", reason: "six doors" }],
    };
    commit(after);
    expect(listRaised(readBefore(root) ?? after, after)).toEqual([]);
    expect(readBefore(root)).toEqual(BEFORE);
  },
);

const before = readBefore(ROOT);
if (before === null) console.log("skipped: no commit is known that has the budgets before the change");

test.skipIf(before === null)(
  "no budget is above that before the change, and no debt grew without a reason",
  () => {
    const after = readRecord();
    expectNone(listRaised(before ?? after, after));
  },
);
