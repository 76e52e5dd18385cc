// Many keys and many models: the CPU time of a request with ten of them, and with the maximum.
import { computeMedian, shown, spread, zipf } from "../figures.ts";
import { type Cost, inRounds, measureCost } from "../measure.ts";
import { type GatewaySetup, modelId, startGateway } from "../peers/gateways.ts";
import { residentBytes, type Started } from "../processes.ts";
import type { Aim, Finding, Table } from "../report.ts";
import { askGateway, type Scenario, type Stage } from "./stage.ts";

const SCENARIO: Scenario = { speech: "openai", manner: "", chunks: null };
const CONNECTIONS = 32;
/** Spreads neighbours in rank across the store. */
const STRIDE = 7919;

interface Scaled extends Started {
  readonly name: string;
  readonly count: number;
  readonly startedMs: number;
}

async function started(stage: Stage, count: number, setup: GatewaySetup): Promise<Scaled> {
  const beganMs = performance.now();
  const gateway = await startGateway(setup, stage);
  return { ...gateway, name: setup.name, count, startedMs: performance.now() - beganMs };
}

function loadOf(stage: Stage) {
  return { connections: CONNECTIONS, warmUp: stage.size(1000, 20), requests: stage.size(4000, 60) };
}

const cpuOf = (costs: readonly Cost[] = []) => costs.map(({ cpuMicros }) => cpuMicros);

function scaleTable(
  what: string,
  all: readonly Scaled[],
  found: ReadonlyMap<string, readonly Cost[]>,
): Table {
  const first = computeMedian(cpuOf(found.get(all[0]?.name ?? "")));
  const rows = all.map(({ name, count, pid }) => {
    const cpu = cpuOf(found.get(name));
    const memory = shown(residentBytes(pid) / 1024 ** 2);
    return [count.toLocaleString("en"), spread(cpu), shown(computeMedian(cpu) / first), memory];
  });
  return { head: [what, "CPU per request, µs", "ratio", "memory afterwards, MB"], rows };
}

function ratioAim(what: string, all: readonly Scaled[], found: ReadonlyMap<string, readonly Cost[]>): Aim {
  const median = (one?: Scaled) => computeMedian(cpuOf(found.get(one?.name ?? "")));
  const few = all[0];
  const many = all.at(-1);
  const counts = `${many?.count.toLocaleString("en")} ${what}`;
  return {
    what: `CPU per request over that of ${few?.count}, ${counts}`,
    measured: median(many) / median(few),
    unit: "×",
    atMost: 1.2,
  };
}

export async function benchKeys(stage: Stage): Promise<Finding> {
  const counts = stage.size([10, 1_000_000], [10, 1000]);
  const all: Scaled[] = [];
  for (const keys of counts) {
    all.push(await started(stage, keys, { name: `keys-${keys}`, keys, charge: "always" }));
  }
  const found = await inRounds(all, stage.size(5, 1), ({ pid, port, count }) => {
    const drawn = zipf(count);
    const keyOf = () => (drawn() * STRIDE) % count;
    const load = loadOf(stage);
    // Built before the clock starts: each takes a request and its secret's checksum.
    const asks = Array.from({ length: load.requests }, () => askGateway(port, SCENARIO, "Local#m", keyOf()));
    const none = askGateway(port, SCENARIO);
    return measureCost(pid, (index) => asks[index] ?? none, load);
  });
  const table = scaleTable("keys", all, found);
  for (const one of all) await one.stop();
  return {
    title: "Keys",
    note: "Each with an account that pays, drawn by Zipf(1.0) over all of them.",
    tables: [table],
    aims: [ratioAim("keys", all, found)],
    bars: [],
  };
}

export async function benchModels(stage: Stage): Promise<Finding> {
  const counts = stage.size([10, 10_000], [10, 100]);
  const all: Scaled[] = [];
  for (const models of counts) all.push(await started(stage, models, { name: `models-${models}`, models }));
  const byModel = (named: (count: number) => () => string, requests: number) =>
    inRounds(all, stage.size(3, 1), ({ pid, port, count }) => {
      const model = named(count);
      const asks = Array.from({ length: requests }, () => askGateway(port, SCENARIO, model()));
      const none = askGateway(port, SCENARIO);
      const load = { connections: CONNECTIONS, warmUp: Math.ceil(requests / 4), requests };
      return measureCost(pid, (index) => asks[index] ?? none, load);
    });
  const named = await byModel(
    (count) => {
      const drawn = zipf(count);
      return () => modelId((drawn() * STRIDE) % count);
    },
    stage.size(4000, 60),
  );
  const chosen = await byModel(() => () => "Router#fair", stage.size(4000, 20));
  const lists = await Promise.all(all.map(async (one) => [String(one.count), shown(await listMs(one))]));
  const tables = [
    scaleTable("models, named", all, named),
    scaleTable("models, chosen by `Router#fair`", all, chosen),
    {
      head: ["models", "start with them, ms", "`GET /v1/models`, ms"],
      rows: lists.map(([count = "", ms = ""], at) => [count, shown(all[at]?.startedMs ?? 0), ms]),
    },
  ];
  for (const one of all) await one.stop();
  return {
    title: "Models",
    note: "Each at a price of its own. Drawn by Zipf(1.0) over all of them, or chosen by a selector.",
    tables,
    aims: [ratioAim("models", all, named), ratioAim("models by Router#fair", all, chosen)],
    bars: [],
  };
}

/** The median time of listing all models. */
async function listMs({ port }: Scaled): Promise<number> {
  const times: number[] = [];
  const { bytes } = askGateway(port, SCENARIO);
  const authorization = /authorization: (.+)\r\n/.exec(bytes.toString())?.[1] ?? "";
  for (let at = 0; at < 5; at++) {
    const startedMs = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization } });
    const { data } = (await answer.json()) as { data: readonly unknown[] };
    if (data.length === 0) throw new Error("No models are listed.");
    times.push(performance.now() - startedMs);
  }
  return computeMedian(times);
}
