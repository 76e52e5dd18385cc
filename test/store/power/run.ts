// `bun test/store/power/run.ts [--moments N] [--seconds N] [--seed N]`: power failures under load. Ends with `N passed, N failed`.
import { parseArgs } from "node:util";
import { PROGRAM } from "../../harness/program.ts";
import { newKillWorld } from "../../kill/world.ts";
import { failPower } from "./campaign.ts";

const SHOWN = 20;

const { values } = parseArgs({
  options: {
    moments: { type: "string", default: "500" },
    seconds: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
  },
});
const moments = Number(values.moments);
const world = await newKillWorld();
const loadMs = Number(values.seconds) * 1000;
const found = await failPower({ program: PROGRAM, world, moments, loadMs, seed: Number(values.seed) });
await world.stop({ keep: false });
if (found === null) throw new Error("There is no C compiler to build the recorder with.");
const { steps, syncs, answers, problems } = found;
for (const problem of problems.slice(0, SHOWN)) console.log(`  ${problem}`);
const failed = new Set(problems.map((problem) => problem.split(":")[0])).size;
console.log(`${steps} writes and syncs, ${syncs} of them finished syncs; ${answers} paid answers`);
console.log(`${moments - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
