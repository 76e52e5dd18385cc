// Large requests: time and CPU per megabyte, and how long they stall other streams.

import { computeMedian, shown, spread } from "../figures.ts";
import { inRounds, measureCost } from "../measure.ts";
import type { Finding, Table } from "../report.ts";
import { nothingSeen } from "./answer.ts";
import { arrivals, closedLoop } from "./client.ts";
import { DIRECT, FLOOR, LOOP, OURS, type Scenario, type Stage } from "./stage.ts";

const KB = 1024;
const MB = 1024 * KB;

function scenarioOf(bytes: number): Scenario {
  return { speech: "openai", manner: "", chunks: null, bytes };
}

function nameOf(bytes: number): string {
  return bytes >= MB ? `${bytes / MB} MB` : `${bytes / KB} KB`;
}

interface Row {
  readonly cells: readonly string[];
  readonly timeRatio: number;
}

/** Uses one connection, so that a request's time includes no queueing. */
async function measured(stage: Stage, bytes: number): Promise<Row> {
  const all = stage.contenders(scenarioOf(bytes)).filter(({ name }) => name === OURS || name === FLOOR);
  const requests = stage.size(Math.max(6, Math.min(200, Math.floor((30 * MB) / bytes))), 2);
  const load = { connections: 1, warmUp: Math.ceil(requests / 4), requests };
  const found = await inRounds(all, stage.size(5, 1), ({ pid, ask }) => measureCost(pid, () => ask, load));
  const cpu = (name: string) => (found.get(name) ?? []).map((cost) => cost.cpuMicros / 1000);
  const time = (name: string) => (found.get(name) ?? []).map(({ seen }) => computeMedian(seen.latencies));
  const ratio = (of: typeof cpu) => computeMedian(of(OURS)) / computeMedian(of(FLOOR));
  const megabytes = bytes / MB;
  return {
    cells: [
      nameOf(bytes),
      ...[FLOOR, OURS].map((name) => spread(time(name))),
      ...[FLOOR, OURS].map((name) => shown(computeMedian(time(name)) / megabytes)),
      shown(ratio(time)),
      ...[FLOOR, OURS].map((name) => spread(cpu(name))),
      shown(ratio(cpu)),
    ],
    timeRatio: ratio(time),
  };
}

/** The longest gap in streams of a chunk per 10 ms while large requests pass. */
async function stalls(stage: Stage, bytes: number): Promise<Table & { readonly worstMs: number }> {
  const paceMs = 10;
  const chunks = stage.size(150, 10);
  const streams = stage.contenders({
    speech: "openai",
    manner: `~chunks=${chunks}~pace=${paceMs}`,
    chunks,
  });
  const large = stage.contenders(scenarioOf(bytes));
  const both = streams.filter(({ name }) => name !== LOOP);
  const found = await inRounds(both, stage.size(3, 1), async ({ name, ask }) => {
    const seen = nothingSeen();
    const body = large.find((one) => one.name === name);
    const requests = stage.size(8, 1);
    await Promise.all([
      arrivals({ asks: [{ ask, seen }], periodMs: 7, requests: 8, connectionsMax: 8 }),
      body && closedLoop(() => body.ask, { connections: 1, requests }, nothingSeen()),
    ]);
    return Math.max(...seen.gaps) - paceMs;
  });
  const rows = [...found].map(([name, worst]) => [name, spread(worst)]);
  const worstMs = computeMedian(found.get(OURS) ?? []) - computeMedian(found.get(DIRECT) ?? []);
  return {
    head: [`while requests of ${nameOf(bytes)} pass`, "a chunk came late by up to, ms"],
    rows,
    worstMs,
  };
}

export async function benchBodies(stage: Stage): Promise<Finding> {
  const sizes = stage.size([KB, 10 * KB, 100 * KB, MB, 10 * MB], [KB, 100 * KB]);
  const rows: Row[] = [];
  for (const bytes of sizes) rows.push(await measured(stage, bytes));
  const last = sizes.at(-1) ?? KB;
  const stalled = await stalls(stage, last);
  return {
    title: "Bodies",
    note: "Requests with an image in base64, one connection, the provider answers at once. Medians (least–most of the rounds).",
    tables: [
      {
        head: [
          "request",
          "time, floor, ms",
          "Poundkey, ms",
          "floor, ms per MB",
          "Poundkey, ms per MB",
          "ratio",
          "CPU, floor, ms",
          "Poundkey, ms",
          "ratio",
        ],
        rows: rows.map(({ cells }) => cells),
      },
      stalled,
    ],
    aims: [
      {
        what: `Time per MB over the floor's, ${nameOf(last)}`,
        measured: rows.at(-1)?.timeRatio ?? 0,
        unit: "×",
        atMost: 1.5,
      },
      {
        what: `Other streams stand still while ${nameOf(last)} pass, beyond direct`,
        measured: stalled.worstMs,
        unit: "ms",
        atMost: 60,
      },
    ],
    bars: [],
  };
}
