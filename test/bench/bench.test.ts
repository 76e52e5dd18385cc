// The short form of every benchmark: all answers are right and every chunk arrives. Figures are not asserted.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { BENCHMARKS } from "./benchmarks.ts";
import { BUILD_CASES, compareBuilds } from "./builds.ts";
import { soak } from "./loads/soak.ts";
import { closeStage, openStage, type Stage } from "./loads/stage.ts";
import { measureStages } from "./loads/stages.ts";
import { stopAll } from "./processes.ts";
import { aimsText, findingText, plot } from "./report.ts";

const TEST_MS = 60_000;
let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ isShort: true, peers: false });
}, TEST_MS);
// The stage is undefined if opening it failed or took too long. All processes end in any case.
afterAll(() => (stage ? closeStage(stage) : stopAll()));

for (const { name, run } of BENCHMARKS) {
  test(
    `the benchmark ${name} runs and gets right answers`,
    async () => {
      const finding = await run(stage);
      console.log(`${findingText(finding)}\n\n${aimsText(finding.aims)}\n`);
      const rows = finding.tables.flatMap((table) => table.rows);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.flat()).not.toContain("NaN");
      expect(plot(finding.bars)).toContain("</svg>");
    },
    TEST_MS,
  );
}

test(
  "two builds are compared in turn, and with the floor",
  async () => {
    const only = BUILD_CASES.filter((name) => !/\d{3}/.test(name));
    const options = { other: stage.binary, rounds: 1, seed: 1, only };
    const finding = await compareBuilds(stage, options);
    console.log(findingText(finding));
    expect(finding.tables.map(({ rows }) => rows.map(([name]) => name))).toEqual([
      ...only.slice(1).map(() => ["pass-through", "other build", "this build"]),
      ["other build", "this build"],
    ]);
    expect(finding.tables.flatMap(({ rows }) => rows.flat()).join(" ")).not.toContain("NaN");
  },
  TEST_MS,
);

test(
  "a stage is measured by a build without it",
  async () => {
    const { tables } = await measureStages(stage, 1, 1);
    const names = tables.flatMap(({ rows }) => rows.map(([name]) => name));
    expect(names).toEqual(["pass-through", "everything", "without the call to the provider"]);
  },
  TEST_MS,
);

test(
  "the soak counts every chunk, and leaves no upstream call open",
  async () => {
    const soaked = await soak(stage, 2 / 60);
    expect(soaked.counted).toMatchObject({ wrong: 0 });
    expect(soaked.counted.finished).toBeGreaterThan(0);
    expect(soaked.left).toBe(0);
  },
  TEST_MS,
);
