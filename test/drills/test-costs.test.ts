// The kept costs of all tests, within budgets that only fall.
import { test } from "bun:test";
import { sumWholeRun } from "../ci/budget.ts";
import { readFollows } from "../ci/thirds/thirds.ts";
import { readGraph } from "../runner/graph.ts";
import { sumFirstTier } from "../runner/tiers.ts";
import { expectNone, ROOT } from "../tidy/sources.ts";
import { judgeAndRecord } from "./budgets.ts";

test("`npm test` and `.ci/run` cost no more units than their budgets", async () => {
  const graph = await readGraph(ROOT);
  const counts = {
    "units of npm test": Math.round(sumFirstTier(graph.tests)),
    "units of .ci/run": Math.round(sumWholeRun(graph, readFollows(ROOT).follows)),
  };
  expectNone(judgeAndRecord("the tests", counts));
});
