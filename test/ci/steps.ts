// The steps of the whole run and of its gate, as rows. Each test file belongs to the first row that takes it.
import { join } from "node:path";
import { RULERS } from "../runner/apart.ts";
import { makeFormat, TYPES } from "../runner/checks.ts";
import { ALSO_ON_BINARY, ON_BINARY } from "../runner/on-binary.ts";
import type { Step } from "./row.ts";

const bun = process.execPath;
const ROOT = join(import.meta.dir, "..", "..");

/** Finds what stands beside the checkout. */
export const BESIDE = "test/harness/beside.ts";

/** The path at which the binary is built. */
export const BINARY = "dist/poundkey";

/**
 * Makes a clone in an empty folder, where nothing stands beside it, and runs README.md's commands there. Their long form, which
 * other steps have, takes a day.
 */
const IN_CLONE = ["env", "-u", "LONG", bun, "test/ci/readme/run.ts"];
const TEST_COMMAND = "npm test";

/** Tells in two minutes most of what a change forgot. The whole run has types, format and the first tier from the clone. */
const GATE: readonly Step[] = [
  {
    name: "clone",
    needs: [],
    minutes: 40,
    gate: "whole",
    work: { command: [...IN_CLONE, "--only", TEST_COMMAND], reportsFiles: true },
  },
  {
    name: "types",
    needs: [],
    minutes: 20,
    gate: "check",
    work: { command: TYPES, isOne: true },
  },
  {
    name: "format",
    needs: [],
    minutes: 20,
    gate: "check",
    work: { command: makeFormat(ROOT), isOne: true },
  },
  {
    name: "house",
    needs: [],
    minutes: 20,
    gate: "both",
    work: { under: ["test/tidy/", "test/docs/", "test/drills/", "test/ci/", "test/runner/"], atOnce: 2 },
  },
];

const READY = ["build"];

const makeFolders = (isLong: boolean): readonly Step[] => [
  {
    name: "rulers",
    needs: READY,
    minutes: 30,
    work: { under: RULERS, isApart: true, atOnce: 1 },
    measures: true,
  },
  {
    name: "benchmarks",
    needs: READY,
    minutes: 30,
    work: { under: ["test/bench/"], isApart: true, atOnce: 1 },
    measures: true,
  },
  {
    name: "python",
    needs: [...READY, "pip-python", "pip-frameworks", "pip-adk", "pip-litellm"],
    minutes: 40,
    work: { under: ["test/python/"], isApart: true, atOnce: 2, onBinary: true },
  },
  {
    name: "agents",
    needs: [...READY, "npm-agents", "npm-cline", "pip-python", "pip-aider"],
    minutes: 60,
    work: { under: ["test/agents/"], isApart: true, atOnce: 2 },
  },
  {
    name: "identities",
    needs: [...READY, "npm-clouds"],
    minutes: 20,
    work: { under: ["test/transport/auth/vendors/"], isApart: true, atOnce: 1 },
  },
  {
    name: "linters",
    needs: ["pip-linters", "go-actionlint"],
    minutes: 10,
    work: { under: ["test/deploy/release/linters/"], isApart: true, atOnce: 1 },
  },
  {
    name: "majors",
    needs: [...READY, "npm-majors", "npm-types"],
    minutes: 20,
    work: {
      under: ["test/clients/majors/", "test/clients/typescript/"],
      isApart: true,
      atOnce: 1,
      onBinary: true,
    },
  },
  {
    name: "older",
    needs: READY,
    minutes: 40,
    work: {
      under: ["test/store/released", "test/store/older-nodes", "test/store/versions", "test/moving/"],
      isApart: true,
      atOnce: 2,
    },
  },
  {
    name: "console",
    needs: READY,
    minutes: 60,
    work: { under: ["test/console/"], isApart: true, atOnce: 2, onBinary: true },
  },
  {
    name: "binary",
    needs: READY,
    minutes: 60,
    work: { under: isLong ? [...ON_BINARY, ...ALSO_ON_BINARY] : ON_BINARY, atOnce: 3, onBinary: true },
  },
];

/** In the long form they run against the binary. */
const SCENARIOS: Step = {
  name: "scenarios",
  needs: READY,
  minutes: 45,
  work: { under: ALSO_ON_BINARY, atOnce: 2 },
};

/** All files that no other row takes. */
const makeRest = (isLong: boolean): readonly Step[] => [
  {
    name: "processes",
    needs: READY,
    minutes: 60,
    work: { under: [""], starting: true, atOnce: 4 },
  },
  {
    name: "dialects",
    needs: READY,
    minutes: 45,
    work: {
      under: ["test/dialects/", "test/surfaces/", "test/sim/", "test/recorded/", "test/jobs/"],
      atOnce: 1,
    },
  },
  ...(isLong ? [] : [SCENARIOS]),
  {
    name: "rooms",
    needs: READY,
    minutes: 60,
    work: { under: [""], atOnce: 1 },
  },
];

/** Runs what the change adds to the tests, on a part of a core. */
function makeProof(base: string): Step {
  return {
    name: "prove",
    needs: READY,
    minutes: 20,
    work: { command: [bun, "test/ci/prove.ts", "--base", base] },
  };
}

/** The rows of what stands beside the checkout, and nowhere else: all other steps run without it. */
const RECORDINGS: Step = {
  name: "recordings",
  needs: READY,
  minutes: 45,
  work: { under: [], importing: BESIDE, atOnce: 2 },
};

export interface Course {
  readonly isLong: boolean;
  /** True if recordings stand beside the checkout. */
  readonly hasRecordings: boolean;
  /** The commit that the change under test comes from; null if none is known. */
  readonly base: string | null;
}

const run = (file: string, ...flags: readonly string[]) => ({
  command: [bun, `test/${file}/run.ts`, ...flags],
});

function makePrograms(isLong: boolean): readonly Step[] {
  return [
    {
      name: "readme",
      needs: [],
      minutes: 20,
      work: { command: [...IN_CLONE, "--but", TEST_COMMAND] },
    },
    {
      name: "build",
      needs: [],
      minutes: 10,
      work: { command: [bun, "src/app/build/build.ts", "--outfile", BINARY], isOne: true },
    },
    {
      name: "kill",
      needs: READY,
      minutes: 20,
      work: { ...run("kill", "--times", isLong ? "1000" : "60"), onBinary: true },
    },
    {
      name: "planted",
      needs: READY,
      minutes: 20,
      work: { ...run("kill", "--planted"), onBinary: true },
    },
    {
      name: "fuzz",
      needs: READY,
      minutes: 10,
      work: { ...run("fuzz", "--seconds", "30"), onBinary: true },
    },
    {
      name: "mutants",
      needs: READY,
      minutes: 60,
      work: run("mutants", ...(isLong ? ["--all"] : [])),
    },
  ];
}

const LONG: readonly Step[] = [
  {
    name: "each alone",
    needs: READY,
    minutes: 10,
    work: { command: [bun, "test/run.ts", "--each-alone"] },
  },
  {
    name: "flaky rows",
    needs: READY,
    minutes: 10,
    work: { command: [bun, "test/ci/flaky-rows.ts"] },
  },
  {
    name: "package",
    needs: READY,
    minutes: 10,
    work: { command: [bun, "test/app/npm/run.ts"] },
  },
  {
    name: "soak",
    needs: READY,
    minutes: 1,
    work: { command: [bun, "test/bench/bench.ts", "--soak", "3m"], isOne: true },
    measures: true,
  },
];

/** The rows, in the order in which they take files. */
export function makeSteps({ isLong, hasRecordings, base }: Course): readonly Step[] {
  const programs = [
    ...makePrograms(isLong),
    ...(hasRecordings ? [RECORDINGS] : []),
    ...(base === null ? [] : [makeProof(base)]),
  ];
  return [...programs, ...(isLong ? LONG : []), ...makeFolders(isLong), ...GATE, ...makeRest(isLong)];
}
