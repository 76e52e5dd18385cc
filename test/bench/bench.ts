// `npm run bench`: every benchmark, or those named by `--only`, as tables and a plot.
import { parseArgs } from "node:util";
import { BENCHMARKS } from "./benchmarks.ts";
import { aimsText, type Finding, findingText } from "./report.ts";
import { machineText, writeResults } from "./results.ts";
import { runSoak } from "./soak.ts";
import { closeStage, openStage, type Stage } from "./stage.ts";

const HELP = `usage: npm run bench -- [options]

  --peers        installs the gateway that others use into a scratch folder, and compares with it
  --only NAME    only that benchmark: ${BENCHMARKS.map(({ name }) => name).join(", ")} (may be repeated)
  --short        few requests: shows that it works, not how fast
  --soak TIME    instead of all that: 2,000 streams, hang-ups and errors for so long (3m, 60m)`;

const { values } = parseArgs({
  options: {
    peers: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    soak: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

async function main(): Promise<void> {
  const names = values.only ?? BENCHMARKS.map(({ name }) => name);
  const wrong = names.find((name) => !BENCHMARKS.some((one) => one.name === name));
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
    console.log(`\n${findingText(finding)}`);
    if (finding.aims.length > 0) console.log(`\n${aimsText(finding.aims)}`);
    console.log(`\n${name}: ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  }
  if (values.only === undefined && !values.short) await writeResults(stage, findings);
}

await main();
process.exit(0);
