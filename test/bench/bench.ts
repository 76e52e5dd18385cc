// `npm run bench`: every benchmark, or those named by `--only`, as tables and a plot.
import { parseArgs } from "node:util";
import { BENCHMARKS } from "./benchmarks.ts";
import { BUILD_CASES, compareBuilds } from "./builds.ts";
import { whole } from "./cpu.ts";
import { runSoak } from "./loads/soak.ts";
import { closeStage, openStage, type Stage } from "./loads/stage.ts";
import { measureStages } from "./loads/stages.ts";
import { aimsText, type Finding, findingText } from "./report.ts";
import { machineText, writeResults } from "./results.ts";

const HELP = `usage: npm run bench -- [options]

  --peers        installs the gateway that others use into a scratch folder, and compares with it
  --only NAME    only that benchmark: ${BENCHMARKS.map(({ name }) => name).join(", ")} (may be repeated)
  --short        few requests: shows that it works, not how fast
  --soak TIME    instead of all that: 2,000 streams, hang-ups and errors for so long (3m, 60m)
  --ab OTHER     instead: this build against another binary or revision, in turn, and against the floor
                 --only then takes ${BUILD_CASES.join(", ")}
  --stages       instead: what each stage of a whole answer costs, by builds without one of them
  --rounds N     the rounds of --ab and --stages (10)
  --warm-up N    the requests of --ab that warm a process up (whole: ${whole.before}; others: fewer)
  --seed N       determines their order and the draws for the intervals (1)`;

const { values } = parseArgs({
  options: {
    peers: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    soak: { type: "string" },
    ab: { type: "string" },
    stages: { type: "boolean", default: false },
    rounds: { type: "string", default: "10" },
    "warm-up": { type: "string" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});

async function main(): Promise<void> {
  const known: readonly string[] = values.ab === undefined ? BENCHMARKS.map(({ name }) => name) : BUILD_CASES;
  const names = values.only ?? known;
  const wrong = names.find((name) => !known.includes(name));
  if (values.help || wrong !== undefined) {
    console.log(wrong === undefined ? HELP : `There is no benchmark '${wrong}'.\n\n${HELP}`);
    process.exit(wrong === undefined ? 0 : 2);
  }
  const stage = await openStage({ isShort: values.short, peers: values.peers });
  // Interrupting the run ends the processes that it started.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void closeStage(stage).finally(() => process.exit(130)));
  }
  try {
    console.log(machineText(stage));
    if (values.soak !== undefined) await runSoak(stage, values.soak);
    else if (values.stages)
      printFinding(await measureStages(stage, Number(values.rounds), Number(values.seed)));
    else if (values.ab !== undefined) await runBuilds(stage, values.ab, names);
    else await runAll(stage, names);
  } finally {
    await closeStage(stage);
  }
}

async function runAll(stage: Stage, names: readonly string[]): Promise<void> {
  const findings: Finding[] = [];
  for (const { name, run } of BENCHMARKS) {
    if (!names.includes(name)) continue;
    const startedMs = performance.now();
    const finding = await run(stage);
    findings.push(finding);
    printFinding(finding);
    console.log(`\n${name}: ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  }
  if (values.only === undefined && !values.short) await writeResults(stage, findings);
}

async function runBuilds(stage: Stage, other: string, only: readonly string[]): Promise<void> {
  const rounds = Number(values.rounds);
  const seed = Number(values.seed);
  const warmUp = values["warm-up"] === undefined ? undefined : Number(values["warm-up"]);
  printFinding(await compareBuilds(stage, { other, rounds, seed, warmUp, only }));
}

function printFinding(finding: Finding): void {
  console.log(`\n${findingText(finding)}`);
  if (finding.aims.length > 0) console.log(`\n${aimsText(finding.aims)}`);
}

await main();
process.exit(0);
