// Bugs in how lines wait for models that are away.
import type { Mutant } from "./mutant.ts";

const RULES = ["test/jobs/jobs.test.ts"];
const MODELS = ["test/jobs/model-waits.test.ts"];

export const MODEL_WAITS: readonly Mutant[] = [
  {
    name: "a model that takes no line is tried by many at once",
    file: "src/jobs/pacing.ts",
    find: "return asked.trials === 0 && nowMs >= asked.shut.untilMs;",
    replace: "return nowMs >= asked.shut.untilMs;",
    tests: RULES,
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
    replace: "if (isIdle) job.offeredMs = 0;",
    tests: MODELS,
  },
];
