// Warm-up: the cost of a process's first requests, compared with those after tens of thousands.

import { computeMedian, spread } from "../figures.ts";
import { startGateway } from "../peers/gateways.ts";
import { cpuMicros } from "../processes.ts";
import type { Finding } from "../report.ts";
import { nothingSeen } from "./answer.ts";
import { closedLoop } from "./client.ts";
import { askGateway, type Scenario, type Stage } from "./stage.ts";

const SCENARIO: Scenario = { speech: "openai", manner: "", chunks: null };
const CONNECTIONS = 32;
/** The number of requests in each block. Blocks are measured separately. */
const BLOCKS = [1000, 1000, 2000, 4000, 8000, 16_000, 16_000] as const;

/** Returns the CPU time per request of each block, in µs, of a gateway that has just started. */
async function measureBlocks(stage: Stage, blocks: readonly number[], start: number): Promise<number[]> {
  const gateway = await startGateway({ name: `warm-up-${start}` }, stage);
  const ask = askGateway(gateway.port, SCENARIO);
  const micros: number[] = [];
  for (const requests of blocks) {
    const before = cpuMicros(gateway.pid);
    await closedLoop(() => ask, { connections: CONNECTIONS, requests }, nothingSeen());
    micros.push((cpuMicros(gateway.pid) - before) / requests);
  }
  await gateway.stop();
  return micros;
}

export async function benchWarmUp(stage: Stage): Promise<Finding> {
  const blocks = BLOCKS.map((requests) => stage.size(requests, 16));
  const starts = stage.size(3, 1);
  const found: number[][] = [];
  for (let start = 0; start < starts; start++) found.push(await measureBlocks(stage, blocks, start));
  const ofBlock = (at: number) => found.map((micros) => micros[at] ?? Number.NaN);
  const first = ofBlock(0);
  const last = ofBlock(blocks.length - 1);
  return {
    title: "Warm-up",
    note: `${starts} starts, ${CONNECTIONS} connections. The compiler's own thread is counted too.`,
    tables: [
      {
        head: ["requests, one block after the other", "CPU per request, µs"],
        rows: blocks.map((requests, at) => [requests.toLocaleString("en"), spread(ofBlock(at))]),
      },
    ],
    aims: [
      {
        what: `CPU per request of the first ${blocks[0]?.toLocaleString("en")} over the last ${blocks.at(-1)?.toLocaleString("en")}`,
        measured: computeMedian(first) / computeMedian(last),
        unit: "×",
        atMost: 2.5,
      },
    ],
    bars: [],
  };
}
