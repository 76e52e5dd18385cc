// `bun test/kill/run.ts [--times N] [--seed N] [--planted]`: kills the gateway N times. Ends with `N passed, N failed`.
import { parseArgs } from "node:util";
import { PROGRAM } from "../harness/program.ts";
import { Campaign, type CampaignSums, type Kill } from "./campaign.ts";
import { PLANTS, planted } from "./plants.ts";
import type { Program } from "./process.ts";
import { newKillWorld } from "./world.ts";

const TIMES = 200;
/** A planted bug is found by the second kill mostly, and later on a machine that is too busy to answer much before one. */
const PLANTED_TIMES = 60;
const TOLD_EVERY = 50;

interface Course {
  readonly passed: number;
  readonly failed: number;
  readonly problems: readonly string[];
  /** Null if the campaign could not continue. */
  readonly sums: CampaignSums | null;
}

interface CourseOptions {
  readonly program: Program;
  readonly times: number;
  readonly seed: number;
  /** Prints findings and continues, keeping the store of each. Otherwise it is quiet and ends at the first. */
  readonly isThorough: boolean;
}

async function runCampaign({ program, times, seed, isThorough }: CourseOptions): Promise<Course> {
  const world = await newKillWorld();
  const count = { passed: 0, failed: 0 };
  const all: string[] = [];
  const onJudged = (kills: readonly Kill[], problems: readonly string[]) => {
    count[problems.length === 0 ? "passed" : "failed"] += kills.length;
    all.push(...problems);
    if (isThorough) tell(kills, problems, count.passed, seed);
    return isThorough || problems.length === 0;
  };
  let sums: CampaignSums | null = null;
  try {
    sums = await new Campaign({ program, world, times, seed, onJudged }).run();
    all.push(...sums.endProblems);
  } catch (error) {
    all.push(`the campaign could not go on: ${String(error)}`);
  }
  const keep = isThorough && all.length > 0;
  if (keep) console.log(`The store and the log are in ${world.directory}`);
  await world.stop({ keep });
  return { ...count, problems: all, sums };
}

function tell(kills: readonly Kill[], problems: readonly string[], passed: number, seed: number): void {
  if (problems.length === 0) {
    if (passed % TOLD_EVERY < kills.length) console.log(`… ${passed} passed`);
    return;
  }
  const instants = kills.map(
    ({ number, during, afterMs }) => `kill ${number}, ${Math.round(afterMs)} ms into the ${during}`,
  );
  console.log(`(fail) ${instants.join("; ")}; seed ${seed}`);
  for (const problem of problems) console.log(`  ${problem}`);
}

/** The whole campaign. Each kill passes or fails, and problems found only at the very end count as one more failure. */
async function runWhole(times: number, seed: number): Promise<{ passed: number; failed: number }> {
  const startedMs = performance.now();
  console.log(`${times} × SIGKILL of ${PROGRAM.join(" ")}, seed ${seed}`);
  const { passed, problems, sums } = await runCampaign({ program: PROGRAM, times, seed, isThorough: true });
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  if (sums === null) {
    console.log(`(fail) ${problems.at(-1)}`);
  } else {
    for (const problem of sums.endProblems) console.log(`(fail) at the end: ${problem}`);
    const { requests, answers, upstreamCalls, slowestResolvedMs } = sums;
    console.log(
      `${requests} requests, ${answers} whole answers, ${upstreamCalls} upstream calls, ` +
        `slowest resolution of holds ${Math.round(slowestResolvedMs)} ms, ${seconds} s`,
    );
  }
  const isWrongAtEnd = passed === times && problems.length > 0;
  return { passed, failed: times - passed + (isWrongAtEnd ? 1 : 0) };
}

/** Each planted bug passes if it is caught. */
async function runPlanted(times: number, seed: number): Promise<{ passed: number; failed: number }> {
  const count = { passed: 0, failed: 0 };
  for (const plant of PLANTS) {
    const { program, remove } = planted(plant);
    const { passed, failed, problems } = await runCampaign({ program, times, seed, isThorough: false });
    remove();
    count[failed > 0 ? "passed" : "failed"]++;
    const result = failed > 0 ? `(pass) caught by kill ${passed + failed}` : "(fail) not caught";
    console.log(`${result}: ${plant.name}`);
    if (problems[0]) console.log(`  ${problems[0].slice(0, 300)}`);
  }
  return count;
}

const { values } = parseArgs({
  options: { times: { type: "string" }, seed: { type: "string" }, planted: { type: "boolean" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
const times = Number(values.times ?? (values.planted ? PLANTED_TIMES : TIMES));
const { passed, failed } = await (values.planted ? runPlanted(times, seed) : runWhole(times, seed));
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
