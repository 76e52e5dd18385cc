// Mutants of limits and budgets, broken one at a time.
import type { Mutant } from "./mutant.ts";

const LIMITS = ["test/ledger-limits.test.ts"];
const BUDGETS = ["test/ledger-budgets.test.ts", "test/ledger-budget-windows.test.ts"];

export const LIMIT_MUTANTS: readonly Mutant[] = [
  {
    name: "a minute of twelve parts",
    file: "src/core/limit.ts",
    find: "export const PARTS = 13;",
    replace: "export const PARTS = 12;",
    tests: LIMITS,
  },
  {
    name: "one request more in a minute",
    file: "src/ledger/limits.ts",
    find: "if (used < limit) return null;",
    replace: "if (used <= limit) return null;",
    tests: LIMITS,
  },
  {
    name: "parallel requests never come back",
    file: "src/ledger/limit-settle.ts",
    find: "Math.max(0, minute.parallel - 1)",
    replace: "minute.parallel",
    tests: LIMITS,
  },
  {
    name: "a repeated admission counts twice",
    file: "src/ledger/settle.ts",
    find: "  undoLimits(books, hold, atMs);\n",
    replace: "",
    tests: LIMITS,
  },
  {
    name: "cached tokens count",
    file: "src/ledger/limit-settle.ts",
    find: "amounts.prompt - amounts.cached + amounts.completion",
    replace: "amounts.prompt + amounts.completion",
    tests: LIMITS,
  },
  {
    name: "tokens beyond the reservation are forgotten",
    file: "src/ledger/limit-settle.ts",
    find: "used < held ? part : minute.part, used - held",
    replace: "part, Math.min(0, used - held)",
    tests: LIMITS,
  },
  {
    name: "a future part blocks until it is past",
    file: "src/ledger/minute.ts",
    find: "if (passed < 0) return { ...minute, part };",
    replace: "if (passed < 0) return minute;",
    tests: LIMITS,
  },
  {
    name: "the account's limits bind nobody",
    file: "src/ledger/limit-owners.ts",
    find: "const ofAccount = makeAccountOwner(account);",
    replace: "const ofAccount = makeAccountOwner({ ...account, requestsPerMinute: null, budgets: [] });",
    tests: [...LIMITS, ...BUDGETS],
  },
  {
    name: "a budget counts only what is charged",
    file: "src/ledger/settle.ts",
    find: "settleLimits(books, hold, demand, { record, costNanoUsd: dueNanoUsd });",
    replace:
      'settleLimits(books, hold, demand, { record, costNanoUsd: hold.place.kind === "balance" ? dueNanoUsd : 0 });',
    tests: BUDGETS,
  },
  {
    name: "reservations aren't counted",
    file: "src/ledger/limits.ts",
    find: "heldNanoUsd: use.heldNanoUsd + nanoUsd }",
    replace: "heldNanoUsd: use.heldNanoUsd }",
    tests: BUDGETS,
  },
  {
    name: "reserved is used up",
    file: "src/ledger/limits.ts",
    find: "return fitting ? makeReservedFault(refusal, rules) : makeExceededFault(refusal, rules);",
    replace: "return makeExceededFault(refusal, rules);",
    tests: BUDGETS,
  },
  {
    name: "a new budget begins with nothing",
    file: "src/ledger/budget-use.ts",
    find: "covered.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0)",
    replace: "0 * covered.length",
    tests: BUDGETS,
  },
  {
    name: "a window never ends",
    file: "src/ledger/budget-use.ts",
    find: "stored.startMs <= nowMs && nowMs < until",
    replace: "stored.startMs <= nowMs",
    tests: BUDGETS,
  },
  {
    name: "weeks begin on Sunday",
    file: "src/ledger/window.ts",
    find: 'weekStarts = "monday"',
    replace: 'weekStarts = "sunday"',
    tests: BUDGETS,
  },
  {
    name: "extra money is given in each window",
    file: "src/ledger/budget-use.ts",
    find: "return { ...fresh, ...carryExtra(stored, budget) };",
    replace: "return { ...fresh, ...(budget.extra ? {} : carryExtra(stored, budget)) };",
    tests: BUDGETS,
  },
  {
    name: "models without a price pass a budget",
    file: "src/ledger/worst.ts",
    find: "(fund.isBudget === true && !isPriced)",
    replace: "(fund.isBudget === true && !isPriced && worst > 0)",
    tests: BUDGETS,
  },
  {
    name: "a budget of some models counts all",
    file: "src/ledger/limit-settle.ts",
    find: "coversModel(budget.name, model) ? costNanoUsd : 0",
    replace: "model.length >= 0 ? costNanoUsd : 0",
    tests: BUDGETS,
  },
  {
    name: "a share is warned of at each request",
    file: "src/ledger/limit-settle.ts",
    find: "!use.warned.includes(share) && ",
    replace: "",
    tests: BUDGETS,
  },
  {
    name: "a late settlement costs its budgets nothing",
    file: "src/ledger/settle.ts",
    find: "  settleLimitsLate(books, demand, dueNanoUsd);\n",
    replace: "",
    tests: BUDGETS,
  },
  {
    name: "a budget's cached prefix at the full rate",
    file: "src/ledger/worst.ts",
    find: "return isBudget ? reservedLines : lines;",
    replace: "return isBudget && reservedLines.length === 0 ? reservedLines : lines;",
    tests: BUDGETS,
  },
];
