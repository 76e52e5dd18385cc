// CPU time per request and added latency, against a pass-through that does nothing, and what governance costs of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareGovernance } from "./governance.ts";
import { cpuPerRequest, medianOf, once, type Scenario, start, stopAll, type Target } from "./measure.ts";

const ROOT = join(import.meta.dir, "../..");
const BINARY = join(ROOT, "dist/poundkey");
const CONNECTIONS = 32;
const WARM_UP = 300;
const ROUNDS = 3;
const CHUNKS = 200;

const SCENARIOS: readonly Scenario[] = [
  {
    name: "whole",
    model: "sim-mini",
    stream: false,
    requests: 3000,
    connections: CONNECTIONS,
    isRight: (text) => text.includes('"finish_reason":"stop"'),
  },
  {
    name: `streamed, ${CHUNKS} chunks`,
    model: `sim-mini~chunks=${CHUNKS}`,
    stream: true,
    requests: 600,
    connections: CONNECTIONS,
    isRight: (text) => text.trimEnd().endsWith("data: [DONE]") && text.split("\n\n").length > CHUNKS,
  },
];

async function alone(target: Target, scenario: Scenario): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 200; at++) times.push(await once(target, scenario));
  return medianOf(times);
}

async function measure(target: Target, scenario: Scenario) {
  const cpu = await cpuPerRequest(target, scenario, WARM_UP);
  return { cpu, latency: await alone(target, scenario) };
}

function least<Value>(values: readonly Value[], of: (value: Value) => number): number {
  return Math.min(...values.map(of));
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-bench-"));
  const own = (await Bun.file(BINARY).exists()) ? [BINARY] : [process.execPath, join(ROOT, "src/main.ts")];
  const simulator = await start([...own, "simulate", "--port", "0"], directory);
  const upstream = `${simulator.url}/openai/v1`;
  const config = join(directory, "poundkey.yaml");
  await Bun.write(
    config,
    `providers: { Local: { base_url: "${upstream}", keys: [sim], unlisted_models: true } }\nserver: { port: 0, admin_token: bench }\n`,
  );
  const gateway = await start([...own, "serve", "--config", config], directory);
  const floor = await start([process.execPath, join(import.meta.dir, "floor.ts")], directory, {
    FLOOR_UPSTREAM: upstream,
  });
  const made = await fetch(`${gateway.url}/admin/v1/keys`, {
    method: "POST",
    headers: { authorization: "Bearer bench", "content-type": "application/json" },
    body: JSON.stringify({ name: "bench", requests_per_day: null }),
  });
  const { secret } = (await made.json()) as { secret: string };
  const targets: readonly Target[] = [
    { name: "pass-through", url: floor.url, pid: floor.pid, headers: {}, modelPrefix: "" },
    {
      name: "poundkey",
      url: `${gateway.url}/v1/chat/completions`,
      pid: gateway.pid,
      headers: { authorization: `Bearer ${secret}` },
      modelPrefix: "Local#",
    },
  ];
  console.log(
    `${own.length === 1 ? "the binary" : "from source"}, ${CONNECTIONS} connections, best of ${ROUNDS} rounds`,
  );
  console.log("");
  console.log(
    "| | CPU per request, pass-through | CPU per request, Poundkey | ratio | added latency (median, alone) |",
  );
  console.log("|---|---|---|---|---|");
  for (const scenario of SCENARIOS) await compare(targets, scenario);
  await compareGovernance(upstream, directory);
  rmSync(directory, { recursive: true, force: true });
}

async function compare(targets: readonly Target[], scenario: Scenario): Promise<void> {
  const rounds = new Map(targets.map((target) => [target.name, [] as { cpu: number; latency: number }[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const target of targets) rounds.get(target.name)?.push(await measure(target, scenario));
  }
  const [floor = [], ours = []] = [...rounds.values()];
  const [floorCpu, ourCpu] = [least(floor, ({ cpu }) => cpu), least(ours, ({ cpu }) => cpu)];
  const added = least(ours, ({ latency }) => latency) - least(floor, ({ latency }) => latency);
  console.log(
    `| ${scenario.name} | ${floorCpu.toFixed(0)} µs | ${ourCpu.toFixed(0)} µs | ${(ourCpu / floorCpu).toFixed(2)} | ${added.toFixed(2)} ms |`,
  );
}

try {
  await main();
} finally {
  stopAll();
}
