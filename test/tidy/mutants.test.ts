// Every mutant still finds the one place that it breaks, and every stage that is measured by leaving it out. Trying the
// mutants takes half an hour, so moved code shows here first.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { STAGES } from "../bench/loads/stages.ts";
import { PLANTS } from "../kill/plants.ts";
import { MUTANTS } from "../mutants/all.ts";
import { digestCatch } from "../mutants/caught.ts";
import { type Mutant, mutated } from "../mutants/mutant.ts";
import { Budget } from "../mutants/trial/budget.ts";
import { orderMutants } from "../mutants/trial/order.ts";
import { expectNone, ROOT } from "./sources.ts";

test("each mutant applies to the code as it is", () => {
  expectNone(
    [...MUTANTS, ...STAGES].flatMap((mutant) => {
      try {
        mutated(readFileSync(join(ROOT, mutant.file), "utf8"), mutant);
        return [];
      } catch (error) {
        return [`${mutant.name}: ${error}`];
      }
    }),
  );
});

test("each mutant has a name of its own, by which its catch is kept", () => {
  const names = MUTANTS.map(({ name }) => name);
  expectNone(names.filter((name, at) => names.indexOf(name) < at));
});

test("each planted bug applies to the code as it is", () => {
  expectNone(
    PLANTS.flatMap(({ name, file, changes }) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return changes
        .filter(([from]) => !text.includes(from))
        .map(([from]) => `${name}: ${file} lacks ${from}`);
    }),
  );
});

test("a mutant is tried again when the code around it or what caught it changes, not for others in their files", () => {
  const mutant = { name: "any", file: "src/a.ts", find: "b > 1", replace: "b >= 1" };
  const code = ["export function one(b: number) {\n  return b > 1;\n}\n", "function other() {}\n"];
  const tests = ['describe("a", () => {\n  test("holds", () => {});\n});\n', 'test("b", () => {});\n'];
  const digest = (file: readonly string[], row: readonly string[], title = "a > holds") =>
    digestCatch(mutant, { file: "test/a.test.ts", title }, (path) =>
      (path === mutant.file ? file : row).join("\n"),
    );
  const before = digest(code, tests);
  expect(digest([...code, "function third() {}"], [...tests, 'test("c", () => {});'])).toBe(before);
  expect(digest([code[0]?.replace("b: number", "b: bigint") ?? "", "function other() {}\n"], tests)).not.toBe(
    before,
  );
  expect(digest(code, [tests[0]?.replace("holds", "ends") ?? "", "test"])).not.toBe(before);
  // A row of a table isn't found by its title, so that it depends on all of its file.
  expect(digest(code, tests, "row 3")).not.toBe(digest(code, [...tests, "test"], "row 3"));
});

test("a run tries what is in doubt first, then what the change touches, then a third of the rest, the nearest first, then the cheapest", () => {
  const [stale, touched, far, near, other] = MUTANTS.slice(0, 5).map((mutant) => ({
    ...mutant,
    file: mutant.name,
  }));
  if (!stale || !touched || !far || !near || !other) throw new Error("There are too few mutants.");
  const mutants = [far, near, other, touched, stale];
  const catchBy = (file: string, mutant: Mutant) => ({ file, digest: digestCatch(mutant, { file }) });
  const catches = {
    [far.name]: catchBy("test/far.test.ts", far),
    [near.name]: catchBy("test/near.test.ts", near),
    [other.name]: catchBy("test/none.test.ts", other),
    [touched.name]: catchBy("test/far.test.ts", touched),
  };
  const around = { catches, files: [touched.file], near: ["test/near.test.ts", "test/far.test.ts"] };
  const costOf = (file: string) => (file === "test/none.test.ts" ? 1 : 2);
  const order = (third: number | null, near = around.near) =>
    orderMutants(mutants, { ...around, near, third, costOf });
  expect(order(null)).toEqual([stale, touched, near, far, other]);
  expect(order(null, [])).toEqual([stale, touched, other, far, near]);
  const thirds = [0, 1, 2].map((third) => order(third));
  for (const third of thirds) expect(third.slice(0, 2)).toEqual([stale, touched]);
  const names = thirds.flatMap((third) => third.slice(2)).map(({ name }) => name);
  expect(names.toSorted()).toEqual([near, far, other].map(({ name }) => name).toSorted());
});

test("mutants that are tried beside each other take no more than their budget", () => {
  const budget = new Budget(25, 20);
  expect([budget.take(), budget.take(), budget.take()]).toEqual([20, 5, null]);
  budget.giveBack(15);
  budget.giveBack(-1);
  expect([budget.take(), budget.take()]).toEqual([14, null]);
});
