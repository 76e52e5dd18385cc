// The order of tests by their nearness to a file.
import { expect, test } from "bun:test";
import { Glob } from "bun";
import { expectNone, ROOT } from "../tidy/sources.ts";
import { readGraph } from "./graph.ts";

const graph = await readGraph(ROOT);
const takeNearest = (file: string) => graph.rankNear([file]).slice(0, 20);

test.each([
  ["src/core/faults/fault.ts", "test/core/"],
  ["src/ledger/decide.ts", "test/ledger/"],
  ["src/http/door/door.ts", "test/http/"],
  ["src/store/sqlite/store.ts", "test/store/"],
])("the tests nearest to %s begin with those in %s", (file, folder) => {
  expect(takeNearest(file)[0]).toStartWith(folder);
});

test("what only the whole gateway imports is reached too", () => {
  expect(graph.rankNear(["src/http/door/door.ts"]).length).toBeGreaterThan(100);
});

test("each source is reached by a test", () => {
  const reached = new Set(graph.tests.flatMap((file) => [...graph.reach(file)]));
  const sources = [...new Glob("src/**/*.{ts,tsx}").scanSync(ROOT)];
  expect(sources).toContain("src/console/main.tsx");
  expectNone(sources.filter((path) => !reached.has(path)));
});

test("a test is nearest to itself, and what nobody imports has none", () => {
  expect(takeNearest("test/runner/graph.test.ts")).toEqual(["test/runner/graph.test.ts"]);
  expect(takeNearest("README.md")).toEqual([]);
});
