// Every mutant still finds the one place that it breaks, and every stage that is measured by leaving it out. Trying the
// mutants takes half an hour, so moved code shows here first.
import { test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { STAGES } from "../bench/loads/stages.ts";
import { PLANTS } from "../kill/plants.ts";
import { MUTANTS } from "../mutants/all.ts";
import { mutated } from "../mutants/mutant.ts";
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
