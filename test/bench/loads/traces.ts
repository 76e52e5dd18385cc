// Measures traces and logs of every request, by gateways with and without them in turn.
import { makeDice } from "../../selectors/dice.ts";
import { computeDifference, computeRatio, spread, writeDifference, writeRatio } from "../figures.ts";
import { inRounds, measureCost } from "../measure.ts";
import { startGateway } from "../peers/gateways.ts";
import type { Finding } from "../report.ts";
import { askGateway, type Scenario, type Stage } from "./stage.ts";

const CONNECTIONS = 32;
const BEFORE = 16_000;
const REQUESTS = 8000;
const ROUNDS = 12;
const SEED = 1;
const MICROS_MAX = 10;
const SCENARIO: Scenario = { speech: "openai", manner: "", chunks: null };

/** Each round starts both gateways afresh, for the reason that `builds.ts` has. */
export async function benchTraces(stage: Stage): Promise<Finding> {
  const { size } = stage;
  const collector = startCollector();
  const endpoint = `http://127.0.0.1:${collector.port}`;
  const contenders: readonly Traced[] = [
    { name: "untraced", more: [] },
    { name: "traced", more: [`telemetry: { otlp: { endpoint: "${endpoint}" } }`] },
  ];
  const rounds = size(ROUNDS, 1);
  const load = { connections: CONNECTIONS, warmUp: size(BEFORE, 40), requests: size(REQUESTS, 40) };
  const dice = makeDice(SEED);
  const measure = async ({ name, more }: Traced, round: number) => {
    const gateway = await startGateway({ name: `${name}-${round}`, more, charge: "always" }, stage);
    const ask = askGateway(gateway.port, SCENARIO);
    const { cpuMicros } = await measureCost(gateway.pid, () => ask, load);
    // A gateway that ends sends what still waits.
    await gateway.stop();
    return cpuMicros;
  };
  const found = await inRounds(contenders, rounds, measure, dice);
  await collector.stop();
  const untraced = found.get("untraced") ?? [];
  const traced = found.get("traced") ?? [];
  const difference = computeDifference(traced, untraced, dice);
  return {
    title: "Traces and logs",
    note: `Two gateways, of which one exports all spans and log lines to a collector that takes them at once. ${rounds} rounds of each in random order, in processes of their own, ${CONNECTIONS} at once: medians (least–most), and differences of means and ratios of sums with their 95 % interval.`,
    tables: [
      {
        head: ["whole answers, 1 KB", "CPU per request, µs", "more than untraced, µs", "times untraced"],
        rows: [
          ["untraced", spread(untraced), "", ""],
          [
            "traced",
            spread(traced),
            writeDifference(difference),
            writeRatio(computeRatio(traced, untraced, dice)),
          ],
        ],
      },
    ],
    aims: [
      {
        what: "CPU of traces and logs of a request",
        measured: difference.value,
        unit: "µs",
        atMost: MICROS_MAX,
      },
    ],
    bars: [],
  };
}

interface Traced {
  readonly name: string;
  /** Further sections of its configuration. */
  readonly more: readonly string[];
}

/** `stop` throws if it was sent nothing of one signal. */
function startCollector() {
  const batches = new Map([
    ["/v1/traces", 0],
    ["/v1/logs", 0],
  ]);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      await request.arrayBuffer();
      batches.set(pathname, (batches.get(pathname) ?? 0) + 1);
      return Response.json({});
    },
  });
  return {
    port: server.port,
    stop: async () => {
      await server.stop();
      for (const [path, count] of batches) if (count === 0) throw new Error(`Nothing was sent to ${path}.`);
    },
  };
}
