// CPU time per request and added latency, against a pass-through that does nothing, in the same run.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const BINARY = join(ROOT, "dist/poundkey");
const CONNECTIONS = 32;
const WARM_UP = 300;
const ROUNDS = 3;
const CHUNKS = 200;

interface Scenario {
  readonly name: string;
  readonly model: string;
  readonly stream: boolean;
  readonly requests: number;
  /** Says whether the answer is right: what is wrong must not be counted. */
  readonly isRight: (text: string) => boolean;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: "whole",
    model: "sim-mini",
    stream: false,
    requests: 3000,
    isRight: (text) => text.includes('"finish_reason":"stop"'),
  },
  {
    name: `streamed, ${CHUNKS} chunks`,
    model: `sim-mini~chunks=${CHUNKS}`,
    stream: true,
    requests: 600,
    isRight: (text) => text.trimEnd().endsWith("data: [DONE]") && text.split("\n\n").length > CHUNKS,
  },
];

interface Target {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly headers: Record<string, string>;
  readonly modelPrefix: string;
}

const children: Bun.Subprocess[] = [];

async function start(command: readonly string[], directory: string, env: Record<string, string> = {}) {
  const child = Bun.spawn([...command], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", BUN_CONFIG_MAX_HTTP_REQUESTS: "65535", ...env },
    stdout: "pipe",
    stderr: "ignore",
  });
  children.push(child);
  let text = "";
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`${command.join(" ")} ended: ${text}`);
    text += decoder.decode(value, { stream: true });
    const url = /listens? on (http:\S+)/.exec(text)?.[1];
    if (url) return { url, pid: child.pid };
  }
}

/** CPU time of all threads of a process, in microseconds. */
function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

async function once(target: Target, scenario: Scenario): Promise<number> {
  const started = performance.now();
  const response = await fetch(target.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...target.headers },
    body: JSON.stringify({
      model: target.modelPrefix + scenario.model,
      messages: [{ role: "user", content: "Tell me something. ".repeat(80) }],
      stream: scenario.stream,
    }),
  });
  const text = await response.text();
  if (!response.ok || !scenario.isRight(text))
    throw new Error(`${target.name}: wrong answer: ${text.slice(0, 300)}`);
  return performance.now() - started;
}

async function load(target: Target, scenario: Scenario, requests: number): Promise<void> {
  let left = requests;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) await once(target, scenario);
    }),
  );
}

async function alone(target: Target, scenario: Scenario): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 200; at++) times.push(await once(target, scenario));
  return times.sort((a, b) => a - b)[times.length / 2] ?? 0;
}

async function measure(target: Target, scenario: Scenario) {
  await load(target, scenario, WARM_UP);
  const before = cpuMicroseconds(target.pid);
  await load(target, scenario, scenario.requests);
  const cpu = (cpuMicroseconds(target.pid) - before) / scenario.requests;
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
  for (const child of children) child.kill();
}
