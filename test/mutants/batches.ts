// Bugs in the rules of batches: what is durable, what lines leave for single requests, turns and pacing.
import type { Mutant } from "./mutant.ts";

const DAYS = ["test/jobs/days.test.ts"];
const RULES = ["test/jobs/jobs.test.ts"];
const LINES = ["test/ledger/limits/lines.test.ts"];

export const BATCHES: readonly Mutant[] = [
  {
    name: "a node writes over the next one's results",
    file: "src/jobs/objects.ts",
    find: "(lease % LEASES_OF_BLOCK)",
    replace: "(0 * lease)",
    tests: ["test/jobs/objects.test.ts"],
  },
  {
    name: "a line that was put back twice runs twice",
    file: "src/jobs/running-block.ts",
    find: "if (this.#queue.includes(at)) return;",
    replace: "",
    tests: ["test/jobs/running-block.test.ts"],
  },
  {
    name: "a line that has ended ends again",
    file: "src/jobs/lines.ts",
    find: "return isOpen(states, at) ? put(states, at, ENDS[end]) : states;",
    replace: "return put(states, at, ENDS[end]);",
    tests: RULES,
  },
  {
    name: "a living node's block is taken",
    file: "src/jobs/leases.ts",
    find: "return node === null || node === own || dead.has(node);",
    replace: "return true;",
    tests: DAYS,
  },
  {
    name: "a dead node's block is never taken",
    file: "src/jobs/leases.ts",
    find: "return node === null || node === own || dead.has(node);",
    replace: "return node === null || node === own;",
    tests: DAYS,
  },
  {
    name: "lines use up the minute",
    file: "src/ledger/limits/lines.ts",
    find: "const MINUTE_SHARE = 3 / 4;",
    replace: "const MINUTE_SHARE = 1;",
    tests: LINES,
  },
  {
    name: "lines hold all of the balance",
    file: "src/ledger/limits/lines.ts",
    find: "const MONEY_SHARE = 1 / 2;",
    replace: "const MONEY_SHARE = 1;",
    tests: LINES,
  },
  {
    name: "a line takes the throttle's slot",
    file: "src/ledger/limits/lines.ts",
    find: "return line === undefined ? standing : { ...standing, slotAtMs: null };",
    replace: "return line === undefined ? standing : { ...standing };",
    tests: LINES,
  },
  {
    name: "a batch has no ceiling",
    file: "src/ledger/limits/lines.ts",
    find: "isHard: ceilingNanoUsd !== null,",
    replace: "isHard: false,",
    tests: LINES,
  },
  {
    name: "lines of one node alone count for their account",
    file: "src/ledger/limits/lines.ts",
    find: "return running < line.parallelMax ? null",
    replace: "return running <= line.parallelMax ? null",
    tests: LINES,
  },
  {
    name: "an account with many batches has many turns",
    file: "src/jobs/turns.ts",
    find: "const accounts = [...new Set(ready.map(({ accountId }) => accountId))];\n    const accountId = pickNext(this.#accounts, accounts);",
    replace: "const accountId = ready[0]?.accountId ?? null;",
    tests: RULES,
  },
  {
    name: "a busy provider slows nothing",
    file: "src/jobs/pacing.ts",
    find: "pace.most = Math.max(1, Math.floor(most / 2));",
    replace: "pace.most = most;",
    tests: RULES,
  },
  {
    name: "a batch that waits tells it again and again",
    file: "src/jobs/job.ts",
    find: "const events = before === null ?",
    replace: "const events = before !== undefined ?",
    tests: RULES,
  },
];
