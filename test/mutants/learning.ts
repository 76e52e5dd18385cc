// Mutants of what is learned: who may teach how much, for how long, what gives way to what, what is tried out.
import type { Mutant } from "./mutant.ts";

export const LEARNING: readonly Mutant[] = [
  {
    name: "a key teaches without bound",
    file: "src/router/lesson.ts",
    find: "2 ** -Math.floor(lessons / FULL_PER_HOUR)",
    replace: "1",
    tests: ["test/http-signals.test.ts"],
  },
  {
    name: "a key drives out what others taught",
    file: "src/store/sql.ts",
    find: "PARTITION BY model, key_id",
    replace: "PARTITION BY model",
    tests: ["test/store-sqlite.test.ts"],
  },
  {
    name: "lessons never fade",
    file: "src/router/lesson.ts",
    find: "weight * 2 ** -(",
    replace: "weight * 1 ** -(",
    tests: ["test/learning.test.ts"],
  },
  {
    name: "a signal stays beside the judgment",
    file: "src/cli/learning.ts",
    find: "state.isStale = true",
    replace: "state.isStale = false",
    tests: ["test/learning.test.ts"],
  },
  {
    name: "a signal takes a judgment's place",
    file: "src/store/sql.ts",
    find: " AND excluded.source <> 'signal'",
    replace: "",
    tests: ["test/store-sqlite.test.ts"],
  },
  {
    name: "every broken answer counts as if all were",
    file: "src/gateway/lessons.ts",
    find: "saidBy(signal, lesson.expected, sound)",
    replace: "saidBy(signal, lesson.expected, 0)",
    tests: ["test/http-signals.test.ts"],
  },
  {
    name: "the client's own limit is the model's fault",
    file: "src/router/signal.ts",
    find: "return this.#isOwnLimit(tokens) ? null :",
    replace: "return tokens === -1 ? null :",
    tests: ["test/router/signal.test.ts"],
  },
  {
    name: "rows of other parameters are believed",
    file: "src/router/decision.ts",
    find: "if (mark !== markOfParameters()) return null;",
    replace: "",
    tests: ["test/learning.test.ts"],
  },
  {
    name: "a pinned request tries others out",
    file: "src/router/explore.ts",
    find: "choice.pinned !== null || ",
    replace: "",
    tests: ["test/router/explore.test.ts"],
  },
  {
    name: "others are tried out below the floor",
    file: "src/router/explore.ts",
    find: "one.score >= ABOVE_FLOOR",
    replace: "one.score > 0",
    tests: ["test/router/explore.test.ts"],
  },
  {
    name: "all go to a slow model when its figures have faded",
    file: "src/router/pace.ts",
    find: "inFlight === 0 && ",
    replace: "",
    tests: ["test/router-days.test.ts"],
  },
  {
    name: "a single failure counts",
    file: "src/gateway/planned.ts",
    find: "Math.max(0, bad - Math.sqrt(bad))",
    replace: "bad",
    tests: ["test/router-days.test.ts"],
  },
];
