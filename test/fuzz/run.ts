// `npm run fuzz -- --seconds N [--seed S] [--only CASE] [--binary PATH]`: attacks a gateway process, prints the count.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { residentBytes } from "../bench/processes.ts";
import { PROGRAM } from "../harness/program.ts";
import { type Program, runCommand } from "../kill/process.ts";
import { type Plan, runCampaign, type Sums } from "./campaign.ts";
import { KINDS } from "./case.ts";
import { type Health, startWatch } from "./watch.ts";
import { type FuzzWorld, startFuzzWorld } from "./world.ts";

const SECONDS = 30;
/**
 * Allows for bodies and answers of up to 8 MB on six lanes, and the heap that the runtime keeps afterwards. A leak over
 * thousands of cases would be larger.
 */
const GROWTH_MAX_BYTES = 400_000_000;
const SETTLE_MS = 3000;

interface Property {
  readonly says: string;
  readonly holds: boolean;
  readonly found: string;
}

async function attack(world: FuzzWorld, plan: Plan): Promise<readonly Property[]> {
  const watch = startWatch(world.url, world.gateway.pid);
  const before = residentBytes(world.gateway.pid);
  const sums = await runCampaign(world, plan);
  const health = await watch.end();
  await Bun.sleep(plan.only === null ? SETTLE_MS : 0);
  const isAlive = await fetch(`${world.url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  const after = isAlive ? residentBytes(world.gateway.pid) : 0;
  world.gateway.signal("SIGTERM");
  const code = await world.gateway.exited;
  return [
    ...kindProperties(sums),
    {
      says: "the process lives, and ends when it is told to",
      holds: isAlive && code === 0,
      found: `alive: ${isAlive}, exit code ${code}`,
    },
    healthProperty(health),
    {
      says: "memory is flat",
      holds: after - before <= GROWTH_MAX_BYTES,
      found: `${megabytes(before)} before, ${megabytes(after)} after`,
    },
    logProperty(world),
    await booksProperty(world, plan.program),
  ];
}

function kindProperties({ cases, findings, statuses }: Sums): readonly Property[] {
  const seen = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status} × ${times}`);
  console.log(`answers: ${seen.join(", ")}`);
  return KINDS.map((kind) => ({
    says: `${cases[kind]} cases of the kind "${kind}"`,
    holds: findings[kind] === 0,
    found: `${findings[kind]} findings`,
  }));
}

function healthProperty({ probes, slowestMs, busiestMs, tooSlow }: Health): Property {
  for (const { startedMs, tookMs, busyMs } of tooSlow) {
    const at = new Date(startedMs).toISOString();
    console.log(`/healthz took ${tookMs} ms at ${at}, the event loop was busy for ${Math.round(busyMs)} ms`);
  }
  const found = `${probes} probes took up to ${Math.round(slowestMs)} ms, with the loop busy for up to ${Math.round(busiestMs)} ms`;
  return {
    says: "/healthz answers, and never waits for 500 ms of computing",
    holds: probes > 0 && tooSlow.length === 0,
    found,
  };
}

/** A failure that no client saw only appears in the log. */
function logProperty({ directory }: FuzzWorld): Property {
  const log = readFileSync(join(directory, "gateway.log"), "utf8");
  const bugs = log.split("\n").filter((line) => line.includes('"internal_error"'));
  return {
    says: "the log reports no bug",
    holds: bugs.length === 0,
    found: `${bugs.length} × internal_error ${bugs[0] ?? ""}`,
  };
}

async function booksProperty({ directory }: FuzzWorld, program: Program): Promise<Property> {
  const { code, text } = await runCommand(program, directory, ["ledger", "verify"]);
  return { says: "the books are right", holds: code === 0, found: text.split("\n").at(-1) ?? "" };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

const { values } = parseArgs({
  options: {
    seconds: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
    binary: { type: "string" },
  },
});
const program: Program = values.binary ? [values.binary] : PROGRAM;
const plan = {
  program,
  seed: Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000)),
  seconds: Number(values.seconds ?? SECONDS),
  only: values.only === undefined ? null : Number(values.only),
};
console.log(`${program.join(" ")}, seed ${plan.seed}`);
const world = await startFuzzWorld(program);
const properties = await attack(world, plan);
for (const { says, holds, found } of properties)
  console.log(`(${holds ? "pass" : "fail"}) ${says}: ${found}`);
console.log(`${world.upstream.calls} upstream calls`);
world.upstream.stop();
const failed = properties.filter(({ holds }) => !holds).length;
if (failed === 0) world.remove();
else console.log(`The store and the log are in ${world.directory}`);
console.log(`\n${properties.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
