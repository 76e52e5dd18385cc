// `bun test/kill/run.ts [--times N] [--seed N] [--planted]`: kills the gateway so often, and ends with `N passed, N failed`.
import { parseArgs } from "node:util";
import { Campaign, type CampaignSums, type Kill } from "./campaign.ts";
import { PLANTS, planted } from "./plants.ts";
import { PROGRAM, type Program } from "./process.ts";
import { newKillWorld } from "./world.ts";

const TIMES = 200;
const PLANTED_TIMES = 12;

const { values } = parseArgs({
  options: { times: { type: "string" }, seed: { type: "string" }, planted: { type: "boolean" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
const count = { passed: 0, failed: 0 };

function told({ number, during, afterMs }: Kill): string {
  return `kill ${number}, ${Math.round(afterMs)} ms into the ${during}`;
}

/** Runs a campaign; gives its sums and how many kills went well, and which problems came up. With a planted bug the first is enough. */
async function runCampaign(program: Program, times: number, isPlanted: boolean) {
  const show = !isPlanted;
  const world = await newKillWorld();
  const found = { passed: 0, failed: 0, problems: [] as string[], sums: null as CampaignSums | null };
  const onJudged = (kills: readonly Kill[], problems: readonly string[]) => {
    if (problems.length === 0) found.passed += kills.length;
    else found.failed += kills.length;
    found.problems.push(...problems);
    if (show && problems.length > 0) {
      console.log(`(fail) ${kills.map(told).join("; ")}; seed ${seed}`);
      for (const problem of problems) console.log(`  ${problem}`);
    }
    if (show && found.passed > 0 && found.passed % 50 < kills.length) console.log(`… ${found.passed} passed`);
    return show || problems.length === 0;
  };
  try {
    found.sums = await new Campaign({ program, world, times, seed, onJudged }).run();
    found.problems.push(...found.sums.endProblems);
  } catch (error) {
    found.problems.push(`The campaign could not go on: ${String(error)}`);
  }
  const isWell = found.problems.length === 0;
  if (show && !isWell) console.log(`The store and the log are in ${world.directory}`);
  await world.stop({ keep: show && !isWell });
  return found;
}

if (values.planted) {
  for (const plant of PLANTS) {
    const { program, remove } = planted(plant);
    const times = Number(values.times ?? PLANTED_TIMES);
    const { failed, problems } = await runCampaign(program, times, true);
    remove();
    if (failed > 0) count.passed++;
    else count.failed++;
    console.log(
      `${failed > 0 ? "(pass) caught" : "(fail) not caught"}: ${plant.name} (${failed} of ${times} kills)`,
    );
    if (problems[0]) console.log(`  ${problems[0].slice(0, 300)}`);
  }
} else {
  const times = Number(values.times ?? TIMES);
  const startedMs = performance.now();
  console.log(`${times} × SIGKILL of ${PROGRAM.join(" ")}, seed ${seed}`);
  const { passed, problems, sums } = await runCampaign(PROGRAM, times, false);
  count.passed = passed;
  // What is found wrong only at the very end counts as one kill more.
  count.failed = times - passed + (passed === times && problems.length > 0 ? 1 : 0);
  for (const problem of sums?.endProblems ?? []) console.log(`(fail) at the end: ${problem}`);
  if (!sums) console.log(`(fail) ${problems.at(-1)}`);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(
    `${sums?.requests} requests, ${sums?.answers} whole answers, ${sums?.upstreamCalls} upstream calls, ` +
      `slowest resolution of holds ${Math.round(sums?.slowestResolvedMs ?? 0)} ms, ${seconds} s`,
  );
}
console.log(`\n${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed === 0 ? 0 : 1);
