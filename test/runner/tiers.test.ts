// The first tier holds a file of each room and of each surface with an SDK, and the cheapest files until the time is full.
import { expect, test } from "bun:test";
import { SURFACES } from "../../src/surfaces/index.ts";
import { expectNone, ROOT } from "../tidy/sources.ts";
import { readGraph } from "./graph.ts";
import { chooseFirstTier, ESSENTIAL, FIRST_TIER_UNITS, SDK_TESTS } from "./tiers.ts";

test("each surface is spoken by an SDK in a file of the first tier", () => {
  const surfaces = SURFACES.flatMap(({ surface, verbs = {} }) => [surface, ...Object.values(verbs)]);
  const names = new Set(surfaces.map(({ name }) => name));
  expect(Object.keys(SDK_TESTS).toSorted()).toEqual([...names].toSorted());
});

test("each essential file is there", async () => {
  const { tests } = await readGraph(ROOT);
  expectNone([...ESSENTIAL].filter((file) => !tests.includes(file)));
});

const FILES = [
  "test/a/dear.test.ts",
  "test/a/cheap.test.ts",
  "test/b/only.test.ts",
  "test/c/middle.test.ts",
  "test/c/cheap.test.ts",
  "test/kill/kill.test.ts",
  "test/kill/dear.test.ts",
];
const chooseWith = (costs: Readonly<Record<string, number>>, checks = 0) =>
  chooseFirstTier({ files: FILES, costOf: (file) => costs[file] ?? 1, checks });

test("the first tier holds the cheapest files, and the essential ones whatever they cost", () => {
  const costs = {
    "test/a/dear.test.ts": 99,
    "test/c/middle.test.ts": 10,
    "test/kill/kill.test.ts": 13,
    "test/kill/dear.test.ts": 62,
  };
  expect(chooseWith(costs)).toEqual([
    "test/a/cheap.test.ts",
    "test/b/only.test.ts",
    "test/c/middle.test.ts",
    "test/c/cheap.test.ts",
    "test/kill/kill.test.ts",
    "test/kill/dear.test.ts",
  ]);
});

test("each room keeps its cheapest file when the time is full before", () => {
  expect(chooseWith({ "test/b/only.test.ts": 20 }, FIRST_TIER_UNITS)).toEqual([
    "test/a/cheap.test.ts",
    "test/b/only.test.ts",
    "test/c/cheap.test.ts",
    "test/kill/kill.test.ts",
    "test/kill/dear.test.ts",
  ]);
});
