// The results of a whole run as files: tables with the machine and versions, and a plot.
import { readFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import type { Stage } from "./loads/stage.ts";
import { aimsText, type Finding, findingText, plot } from "./report.ts";

export const RESULTS = join(import.meta.dir, "results");

/** The parts of the machine that affect figures, without anything that identifies it. */
export function machineText({ peers }: Pick<Stage, "peers">): string {
  const cpu = readFileSync("/proc/cpuinfo", "utf8");
  const cores = cpu.match(/^processor\s/gm)?.length ?? 0;
  const model = /^model name\s*: (.+)$/m.exec(cpu)?.[1] ?? "unknown processor";
  const kilobytes = Number(/^MemTotal:\s+(\d+)/.exec(readFileSync("/proc/meminfo", "utf8"))?.[1] ?? 0);
  const versions = [`Bun ${Bun.version}`, ...peers.map(({ version }) => version)];
  return `${cores} cores (${model}), ${Math.round(kilobytes / 1024 ** 2)} GB, Linux ${release()}; ${versions.join(", ")}.`;
}

export async function writeResults(stage: Stage, findings: readonly Finding[]): Promise<void> {
  const text = [
    "# Benchmarks",
    `Written by \`npm run bench${stage.peers.some(({ name }) => name === "Portkey") ? " -- --peers" : ""}\` on ${new Date().toISOString().slice(0, 10)}. ${machineText(stage)}`,
    "The compiled binary with everything on: key, bounds, allowance (used up), hold and post, health, log to /dev/null, metrics. The floor (`pass-through`) is `test/bench/loads/floor.ts`. Provider and load generator run on the same machine.",
    "![Plot](bench.svg)",
    "## Aims",
    aimsText(findings.flatMap(({ aims }) => aims)),
    ...findings.map(findingText),
  ].join("\n\n");
  await Bun.write(join(RESULTS, "bench.md"), `${text}\n`);
  await Bun.write(join(RESULTS, "bench.svg"), plot(findings.flatMap(({ bars }) => bars)));
  console.log("\nWritten to test/bench/results/bench.md and bench.svg.");
}
