// A gateway whose collector is dead, next to one without: memory, drops and waits, `bun test/bench/loads/dead-collector.ts`.
//
// `--minutes N` (10) and `--rate N` (50 requests a second to each) change the load. Exits with 1 if the memory of a gateway
// grows once its queue is full, if it drops nothing, or if a request waits. `POUNDKEY_BINARY` names the build to measure.
import { parseArgs } from "node:util";
import { computeMedian, computePercentile, shown } from "../figures.ts";
import { type GatewayPlace, startGateway } from "../peers/gateways.ts";
import { residentBytes, type Started } from "../processes.ts";
import { tableText } from "../report.ts";
import { nothingSeen, type Seen } from "./answer.ts";
import { arrivals } from "./client.ts";
import { askGateway, runAlone, type Scenario } from "./stage.ts";

const SAMPLE_MS = 10_000;
const WARM_UP_MS = 20_000;
/** Memory is compared from this share of the time on: before, the queues fill and code is compiled. */
const SETTLED_SHARE = 0.4;
const GROWTH_MAX = 1.05;
const SCENARIOS: readonly Scenario[] = [
  { speech: "openai", manner: "~latency=20", chunks: null },
  { speech: "openai", manner: "~latency=20~pace=4~chunks=20", chunks: 20 },
];

const { values: given } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, rate: { type: "string", default: "50" } },
});
const minutes = Number(given.minutes);
const rate = Number(given.rate);

interface Sample {
  readonly second: number;
  readonly megabytes: number;
  readonly dropped: number;
}

interface Measured extends Started {
  readonly name: string;
  readonly seen: Seen;
  readonly samples: Sample[];
}

/** The number of items that the gateway gave up so far. */
async function readDropped({ port }: Started): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = text.matchAll(/^poundkey_telemetry_dropped_total\{signal="\w+"\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function startWith(name: string, endpoint: string | null, place: GatewayPlace): Promise<Measured> {
  const more = endpoint === null ? [] : [`telemetry: { otlp: { endpoint: "${endpoint}" } }`];
  const gateway = await startGateway({ name: name.replaceAll(" ", "-"), more, charge: "always" }, place);
  return { ...gateway, name, seen: nothingSeen(), samples: [] };
}

/** Half of the requests are streams. All gateways get theirs at the same times, so that disturbances affect all alike. */
async function load(gateways: readonly Measured[], seconds: number, isCounted: boolean): Promise<void> {
  const asks = gateways.flatMap(({ port, seen }) =>
    SCENARIOS.map((scenario) => ({
      ask: askGateway(port, scenario),
      seen: isCounted && scenario.chunks === null ? seen : nothingSeen(),
    })),
  );
  const perSecond = rate / SCENARIOS.length;
  await arrivals({
    asks,
    periodMs: 1000 / perSecond,
    requests: Math.ceil(seconds * perSecond),
    connectionsMax: 64,
    polledMs: 0,
  });
}

async function takeSamples(gateways: readonly Measured[], startedMs: number): Promise<void> {
  const second = Math.round((performance.now() - startedMs) / 1000);
  for (const gateway of gateways) {
    const megabytes = residentBytes(gateway.pid) / 1024 ** 2;
    gateway.samples.push({ second, megabytes, dropped: await readDropped(gateway) });
  }
}

function describe({ name, seen, samples }: Measured): readonly string[] {
  const [first, second] = halve(samples);
  const memory = [samples[0]?.megabytes ?? 0, first, second, samples.at(-1)?.megabytes ?? 0];
  const waits = [0.5, 0.99, 1].map((share) => computePercentile(seen.latencies, share));
  const dropped = samples.at(-1)?.dropped ?? 0;
  return [name, ...memory.map(shown), String(dropped), String(seen.latencies.length), ...waits.map(shown)];
}

/** The median memory of the two halves of the settled time. */
function halve(samples: readonly Sample[]): readonly [number, number] {
  const settled = samples.slice(Math.floor(samples.length * SETTLED_SHARE)).map(({ megabytes }) => megabytes);
  const half = Math.floor(settled.length / 2);
  return [computeMedian(settled.slice(0, half)), computeMedian(settled.slice(half))];
}

function findFaults({ name, samples }: Measured): readonly string[] {
  const [first, second] = halve(samples);
  const before = samples[Math.floor(samples.length / 2)]?.dropped ?? 0;
  const after = samples.at(-1)?.dropped ?? 0;
  return [
    ...(second > first * GROWTH_MAX
      ? [`${name}: memory grows from ${shown(first)} to ${shown(second)} MB`]
      : []),
    ...(after <= before ? [`${name}: ${before} items dropped at half of the time, ${after} at the end`] : []),
  ];
}

async function measure(place: GatewayPlace): Promise<void> {
  // A connection to it is taken, and no byte is ever answered.
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const closed = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  closed.stop(true);
  const gateways = [
    await startWith("no collector", null, place),
    await startWith("refuses connections", `http://127.0.0.1:${closed.port}`, place),
    await startWith("never answers", `http://127.0.0.1:${silent.port}`, place),
  ];
  await load(gateways, WARM_UP_MS / 1000, false);
  const startedMs = performance.now();
  const sampling = setInterval(() => void takeSamples(gateways, startedMs), SAMPLE_MS);
  await load(gateways, minutes * 60, true);
  clearInterval(sampling);
  await takeSamples(gateways, startedMs);
  silent.stop(true);
  report(gateways);
}

function report(gateways: readonly Measured[]): void {
  const rows = gateways[0]?.samples.map(({ second }, at) => [
    String(second),
    ...gateways.flatMap(({ samples }) => [
      shown(samples[at]?.megabytes ?? 0),
      String(samples[at]?.dropped ?? 0),
    ]),
  ]);
  const names = gateways.flatMap(({ name }) => [`${name}: MB`, "dropped"]);
  console.log(tableText({ head: ["second", ...names], rows: rows ?? [] }));
  const head = ["collector", "MB at first", "settled", "its second half", "at the end", "dropped"];
  const waits = ["whole answers", "p50, ms", "p99, ms", "longest, ms"];
  console.log(`\n${tableText({ head: [...head, ...waits], rows: gateways.map(describe) })}`);
  const faults = gateways.slice(1).flatMap(findFaults);
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) process.exitCode = 1;
}

await runAlone(measure);
