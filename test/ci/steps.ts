// The steps of the whole run and of its gate, as rows. Each test file belongs to the first row that takes it.
import { ON_BINARY } from "../runner/on-binary.ts";
import type { Step } from "./row.ts";

const bun = process.execPath;
const tool = (name: string) => `node_modules/.bin/${name}`;

/** Where the binary is built. */
export const BINARY = "dist/poundkey";

const RULERS = [
  "test/drills/costs.test.ts",
  "test/drills/line-costs.test.ts",
  "test/drills/tool-costs.test.ts",
];

/** Tells in two minutes most of what a change forgot. */
export const GATE: readonly Step[] = [
  {
    name: "types",
    needs: [],
    cpu: 1.2,
    minutes: 10,
    isGate: true,
    work: { command: [tool("tsc"), "--noEmit"], isOne: true },
  },
  {
    name: "format",
    needs: [],
    cpu: 1.2,
    minutes: 10,
    isGate: true,
    work: { command: [tool("biome"), "check", "--error-on-warnings", "."], isOne: true },
  },
  {
    name: "the house: tidy, docs, drills",
    needs: [],
    cpu: 1,
    minutes: 15,
    isGate: true,
    work: { under: ["test/tidy/", "test/docs/", "test/drills/", "test/ci/"], atOnce: 2 },
  },
];

const READY = ["npm start", "build"];

const FOLDERS: readonly Step[] = [
  {
    name: "rulers",
    needs: READY,
    cpu: 1,
    minutes: 30,
    work: { under: RULERS, isApart: true, atOnce: 1 },
    measures: true,
  },
  {
    name: "benchmarks, the short form",
    needs: READY,
    cpu: 2,
    minutes: 30,
    work: { under: ["test/bench/"], isApart: true, atOnce: 1 },
    measures: true,
  },
  {
    name: "SDKs and frameworks in Python",
    needs: [...READY, "python", "frameworks", "adk"],
    cpu: 0.6,
    minutes: 20,
    work: { under: ["test/python/"], isApart: true, atOnce: 2, onBinary: true },
  },
  {
    name: "coding agents",
    needs: [...READY, "agents", "python", "aider"],
    cpu: 0.8,
    minutes: 40,
    work: { under: ["test/agents/"], isApart: true, atOnce: 2 },
  },
  {
    name: "identities, by the clouds' libraries",
    needs: [...READY, "clouds"],
    cpu: 0.5,
    minutes: 10,
    work: { under: ["test/transport/auth/vendors/"], isApart: true, atOnce: 1 },
  },
  {
    name: "earlier SDKs, and types from the OpenAPI document",
    needs: [...READY, "majors", "types"],
    cpu: 0.6,
    minutes: 10,
    work: {
      under: ["test/clients/majors/", "test/clients/typescript/"],
      isApart: true,
      atOnce: 1,
      onBinary: true,
    },
  },
  {
    name: "the console",
    needs: READY,
    cpu: 1.4,
    minutes: 30,
    work: { under: ["test/console/"], isApart: true, atOnce: 2, onBinary: true },
  },
  {
    name: "against the binary",
    needs: READY,
    cpu: 0.9,
    minutes: 40,
    work: { under: ON_BINARY, atOnce: 3, onBinary: true },
  },
];

/** All files that no other row takes. */
const REST: readonly Step[] = [
  {
    name: "processes, threads and databases",
    needs: READY,
    cpu: 0.9,
    minutes: 40,
    work: { under: [""], starting: true, atOnce: 4 },
  },
  {
    name: "dialects, surfaces and simulated days",
    needs: READY,
    cpu: 1,
    minutes: 30,
    work: {
      under: ["test/dialects/", "test/surfaces/", "test/sim/", "test/recorded/", "test/jobs/"],
      atOnce: 1,
    },
  },
  {
    name: "the other rooms",
    needs: READY,
    cpu: 1,
    minutes: 30,
    work: { under: [""], atOnce: 1 },
  },
];

function makePrograms(isLong: boolean): readonly Step[] {
  const run = (file: string, ...flags: readonly string[]) => ({
    command: [bun, `test/${file}/run.ts`, ...flags],
  });
  const soak: Step = {
    name: "soak",
    needs: READY,
    cpu: 2,
    minutes: 1,
    work: { command: [bun, "test/bench/bench.ts", "--soak", "3m"], isOne: true },
    measures: true,
  };
  return [
    {
      name: "npm start",
      needs: [],
      cpu: 1,
      minutes: 5,
      work: { command: [bun, "test/ci/start.ts"] },
    },
    {
      name: "build",
      needs: [],
      cpu: 1,
      minutes: 5,
      work: { command: [bun, "src/app/build/build.ts", "--outfile", BINARY], isOne: true },
    },
    {
      name: "kill -9",
      needs: READY,
      cpu: 0.5,
      minutes: 10,
      work: { ...run("kill", "--times", isLong ? "1000" : "60"), onBinary: true },
    },
    {
      name: "kill -9, planted bugs",
      needs: READY,
      cpu: 0.5,
      minutes: 10,
      work: { ...run("kill", "--planted"), onBinary: true },
    },
    {
      name: "fuzz",
      needs: READY,
      cpu: 1.2,
      minutes: 5,
      work: { ...run("fuzz", "--seconds", "30"), onBinary: true },
    },
    {
      name: "mutants",
      needs: READY,
      cpu: 1.5,
      minutes: 30,
      work: run("mutants", ...(isLong ? ["--all"] : [])),
    },
    ...(isLong ? [soak] : []),
  ];
}

/** The rows, in the order in which they take files. */
export function makeSteps(isLong: boolean): readonly Step[] {
  return [...makePrograms(isLong), ...FOLDERS, ...GATE, ...REST];
}
