// Mutants of fairness: one account's costly requests, long reads of the store, lines whose model is away, and what references may expand to.
import type { Mutant } from "./mutant.ts";

const LINES = ["test/jobs/jobs.test.ts"];
const MODELS = ["test/jobs/model-waits.test.ts"];

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
  {
    name: "a model that takes no line is tried by many at once",
    file: "src/jobs/pacing.ts",
    find: "return asked.trials === 0 && nowMs >= asked.shut.untilMs;",
    replace: "return nowMs >= asked.shut.untilMs;",
    tests: LINES,
  },
  {
    name: "lines that wait for a model keep blocks back",
    file: "src/jobs/running-batch.ts",
    find: "if (this.#may(model, name, look) || !look.isAway(name)) queued += lines;",
    replace: "queued += lines;",
    tests: MODELS,
  },
  {
    name: "a takeover begins the wait for a model anew",
    file: "src/jobs/model-waits.ts",
    find: "merged[model] = holds ? Math.min(before, sinceMs) : sinceMs;",
    replace: "merged[model] = sinceMs;",
    tests: MODELS,
  },
  {
    name: "a model's trials are all given to its first line",
    file: "src/jobs/running-block.ts",
    find: "this.countWaits(at) < this.countWaits(least)",
    replace: "this.countWaits(at) < 0",
    tests: MODELS,
  },
  {
    name: "a batch that waits for models tells it again for each line that ends unanswered",
    file: "src/jobs/job.ts",
    find: "if (waiting.code === WAITS_FOR_MODELS && !isAnswered) return batch;",
    replace: "",
    tests: MODELS,
  },
  {
    name: "lines that wait for a model are held by the node on which it is down",
    file: "src/jobs/model-waits.ts",
    find: "if (isIdle) await offerBlock(ports, job, nowMs);",
    replace: "if (job.isUnpaid) await offerBlock(ports, job, nowMs);",
    tests: MODELS,
  },
];
