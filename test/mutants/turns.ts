// Mutants of fairness: one account's costly requests, long reads of the store, and what references may expand to.
import type { Mutant } from "./mutant.ts";

export const TURNS: readonly Mutant[] = [
  {
    name: "a list that is read page by page keeps its turn",
    file: "src/store/engine/turns.ts",
    find: "beganMs !== null && performance.now() - beganMs >= TURN_MS",
    replace: "false",
    tests: ["test/store/sqlite-engine.test.ts"],
  },
  {
    name: "sums are read on the event loop",
    file: "src/store/sqlite/engine.ts",
    find: "(await slowReads?.run(statements)) ?? null",
    replace: "null",
    tests: ["test/store/slow-reads.test.ts"],
  },
  {
    name: "tools are remembered at their first sight",
    file: "src/core/json/repeated.ts",
    find: "if (!sightings.delete(hash)) {",
    replace: "if (false) {",
    tests: ["test/core/json/repeated.test.ts"],
  },
  {
    name: "an account with costly bodies never rests",
    file: "src/http/body/body-turns.ts",
    find: "REST * costMs",
    replace: "0",
    tests: ["test/http/body/turns.test.ts"],
  },
  {
    name: "requests that arrive during the work go unseen",
    file: "src/http/body/body-turns.ts",
    find: "    if (startedMs - other.atMs < ACTIVE_MS) other.atMs = nowMs;\n",
    replace: "",
    tests: ["test/http/body/turns.test.ts"],
  },
  {
    name: "one account's bodies are parsed first",
    file: "src/http/body/body-turns.ts",
    find: "      this.#lanes.set(owner, lane);\n",
    replace: "",
    tests: ["test/http/body/turns.test.ts"],
  },
  {
    name: "each tool's references expand on their own",
    file: "src/dialects/gemini/tools.ts",
    find: "cleanSchema(parameters, expansion)",
    replace: "cleanSchema(parameters)",
    tests: ["test/ledger/edges.test.ts"],
  },
];
