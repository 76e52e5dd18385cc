// Two workers against one: CPU per request, the split of the load, and shared limits, books, counts and shutdown.

import { computeMedian, spread } from "../figures.ts";
import { type Cost, inRounds, measureCost } from "../measure.ts";
import { preparedGateway } from "../peers/gateways.ts";
import { listFamily, ownCpuMicros, run, type Started, start } from "../processes.ts";
import type { Finding } from "../report.ts";
import { nothingSeen } from "./answer.ts";
import { Connection, closedLoop } from "./client.ts";
import { MASTER_KEY, makeSecret } from "./seed.ts";
import { askGateway, type Scenario, type Stage, writeBody } from "./stage.ts";

const CONNECTIONS = 64;
/** Both workers' code is compiled after this many requests. */
const BEFORE = 40_000;
const FREE_A_DAY = 200;
const WHOLE: Scenario = { speech: "openai", manner: "", chunks: null };

interface Workers extends Started {
  readonly name: "one" | "two";
  readonly command: readonly string[];
}

interface Shared extends Cost {
  /** The busier worker's share of all workers' CPU time. */
  readonly largestShare: number;
}

async function startWorkers(stage: Stage, name: Workers["name"]): Promise<Workers> {
  const workers = name === "one" ? 1 : 2;
  const setup = { name: `workers-${name}`, workers, keys: 10 };
  const prepared = await preparedGateway(setup, stage);
  const started = await start(prepared);
  if (workers > 1) await allServe(started.pid, workers);
  return { ...started, name, command: prepared.command };
}

/** Waits for both workers: the second starts once the first listens. */
async function allServe(pid: number, workers: number): Promise<void> {
  const cpu = () => listFamily(pid).slice(1).map(ownCpuMicros);
  for (;;) {
    const before = cpu();
    await Bun.sleep(300);
    const after = cpu();
    const isQuiet = after.every((micros, at) => micros - (before[at] ?? 0) < 20_000);
    if (after.length === workers && isQuiet) return;
  }
}

async function measured({ pid, port }: Workers, stage: Stage, keys: number): Promise<Shared> {
  const workers = listFamily(pid).slice(1);
  const load = { connections: CONNECTIONS, warmUp: stage.size(800, 40), requests: stage.size(4000, 100) };
  const before = workers.map(ownCpuMicros);
  const asks = Array.from({ length: keys }, (_, key) => askGateway(port, WHOLE, "Local#m", key));
  const none = askGateway(port, WHOLE);
  const cost = await measureCost(pid, (index) => asks[index % keys] ?? none, load);
  const used = workers.map((worker, at) => ownCpuMicros(worker) - (before[at] ?? 0));
  const all = used.reduce((sum, one) => sum + one, 0);
  return { ...cost, largestShare: used.length < 2 ? 1 : Math.max(...used) / all };
}

/** Returns how many requests are admitted. The throttle's first slot comes ten minutes after the last free one. */
async function grantedOf(port: number, key: number, requests: number): Promise<number> {
  const headers = { authorization: `Bearer ${makeSecret(key)}`, "content-type": "application/json" };
  const url = `http://127.0.0.1:${port}/v1/chat/completions`;
  const body = writeBody("Local#m", WHOLE);
  let granted = 0;
  let left = requests;
  const turns = Array.from({ length: CONNECTIONS }, async () => {
    while (left-- > 0) {
      const answer = await fetch(url, { method: "POST", headers, body, keepalive: false });
      await answer.text();
      if (answer.status === 200) granted++;
      else if (answer.status !== 429)
        throw new Error(`Status ${answer.status} is neither granted nor refused.`);
    }
  });
  await Promise.all(turns);
  return granted;
}

async function countedAt(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { keepalive: false })).text();
  const counts = [...text.matchAll(/^poundkey_requests_total\{.*outcome="answered"\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Stops the gateway while streams are open. They must run to their own end, and the exit code must be 0. */
async function stoppedWith(streams: number, { port, stop }: Workers): Promise<number> {
  const scenario: Scenario = { speech: "openai", manner: "~chunks=20~pace=50", chunks: 20 };
  const connections = await Promise.all(Array.from({ length: streams }, () => Connection.open(port)));
  const ask = askGateway(port, scenario);
  const seen = nothingSeen();
  const under = connections.map((connection) => connection.ask(ask, seen, performance.now()));
  while (connections.some(({ hasBegun }) => !hasBegun)) await Bun.sleep(5);
  const code = await stop();
  await Promise.all(under);
  if (code !== 0 || seen.latencies.length !== streams) throw new Error(`It ended with ${code}.`);
  return seen.latencies.length;
}

/** Throws unless all movements of money balance. */
async function verifyBooks([binary = "", , ...flags]: readonly string[], directory: string): Promise<void> {
  const command = [binary, "ledger", "verify", ...flags.slice(0, 2)];
  await run(command, directory, { POUNDKEY_MASTER_KEY: MASTER_KEY });
}

/** Checks limits over two workers with a key that isn't paid for, their counts, the books, and the shutdown. */
async function oneGateway(stage: Stage): Promise<readonly (readonly string[])[]> {
  const setup = { name: "workers-limits", workers: 2, requestsPerDay: FREE_A_DAY, fundedNanoUsd: 0 };
  const prepared = await preparedGateway(setup, stage);
  const two: Workers = { ...(await start(prepared)), name: "two", command: prepared.command };
  await allServe(two.pid, 2);
  const requests = stage.size(1000, 220);
  const granted = await grantedOf(two.port, 0, requests);
  if (granted !== FREE_A_DAY) throw new Error(`${granted} requests were let in.`);
  const counts = new Set(await Promise.all(Array.from({ length: 8 }, () => countedAt(two.port))));
  if (!counts.has(granted) || counts.size !== 1) throw new Error(`/metrics count ${[...counts]}.`);
  await two.stop();
  return [
    [`of ${requests} requests with ${FREE_A_DAY} free a day, let in`, String(granted)],
    ["counted by `/metrics`, whichever worker is asked", String(granted)],
  ];
}

export async function benchWorkers(stage: Stage): Promise<Finding> {
  const both = [await startWorkers(stage, "one"), await startWorkers(stage, "two")];
  for (const { port } of both) {
    const load = { connections: CONNECTIONS, requests: stage.size(BEFORE, 40) };
    await closedLoop(() => askGateway(port, WHOLE), load, nothingSeen());
  }
  const found = await inRounds(both, stage.size(5, 1), (one) => measured(one, stage, 10));
  const cpuOf = (name: string) => (found.get(name) ?? []).map(({ cpuMicros }) => cpuMicros);
  const ratio = computeMedian(cpuOf("two")) / computeMedian(cpuOf("one"));
  const shares = (found.get("two") ?? []).map(({ largestShare }) => largestShare);
  const rows = both.map(({ name }) => {
    const throughput = (found.get(name) ?? []).map(({ perSecond }) => perSecond);
    return [name, spread(cpuOf(name)), spread(throughput)];
  });
  const [one, two] = both;
  const ended = two === undefined ? 0 : await stoppedWith(stage.size(100, 10), two);
  await one?.stop();
  for (const { command } of both) await verifyBooks(command, stage.directory);
  return {
    title: "Workers",
    note: `\`--workers 2\` against one, ${CONNECTIONS} connections, 10 keys that pay. All shares by CPU time.`,
    tables: [
      { head: ["workers", "CPU per request, µs", "requests per second here"], rows },
      {
        head: ["two workers", ""],
        rows: [
          ...(await oneGateway(stage)),
          ["the busier worker's share", spread(shares)],
          ["streams open at SIGTERM that came to their own end", String(ended)],
          ["`ledger verify` afterwards", "in order"],
        ],
      },
    ],
    aims: [
      { what: "CPU per request of two workers over one", measured: ratio, unit: "×", atMost: 1.15 },
      { what: "The busier worker's share", measured: computeMedian(shares) * 100, unit: "%", atMost: 65 },
    ],
    bars: [],
  };
}
