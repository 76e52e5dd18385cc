// The cost of governance: every request held, posted and logged on SQLite, against a store that answers at once.
import { join } from "node:path";
import { computeMedian, spread } from "../figures.ts";
import { nothingSeen } from "../loads/answer.ts";
import { type Ask, closedLoop, prepareAsk } from "../loads/client.ts";
import { type Scenario, type Stage, writeBody } from "../loads/stage.ts";
import { inRounds, measureCost } from "../measure.ts";
import { run, type Started, start } from "../processes.ts";
import type { Finding } from "../report.ts";

/** Requests before the first round, after which the code is compiled. */
const BEFORE = 24_000;
const BEFORE_CONNECTIONS = 256;
const FIRST_BYTE_MS = 20;
const PROGRAM = join(import.meta.dir, "governed.ts");
const SCENARIO: Scenario = { speech: "openai", manner: `~latency=${FIRST_BYTE_MS}`, chunks: null };

interface Side extends Started {
  readonly name: "off" | "on";
}

export async function benchGovernance(stage: Stage): Promise<Finding> {
  const sides = await bothSides(stage);
  const rounds = stage.size(3, 1);
  const rows: string[][] = [];
  const medians: number[] = [];
  for (const side of sides) {
    const load = { connections: BEFORE_CONNECTIONS, requests: stage.size(BEFORE, 40) };
    await closedLoop(() => askOfSide(side), load, nothingSeen());
  }
  for (const connections of stage.size([16, 64, 256], [16])) {
    const load = { connections, warmUp: stage.size(400, 20), requests: stage.size(connections * 25, 40) };
    const found = await inRounds(sides, rounds, (side) => {
      const ask = askOfSide(side);
      return measureCost(side.pid, () => ask, load);
    });
    const cpuOf = (name: Side["name"]) => (found.get(name) ?? []).map(({ cpuMicros }) => cpuMicros);
    const ratios = cpuOf("on").map((on, round) => on / (cpuOf("off")[round] ?? Number.NaN));
    const ratio = computeMedian(ratios);
    medians.push(ratio);
    rows.push([`${connections} connections`, spread(cpuOf("off")), spread(cpuOf("on")), ratio.toFixed(2)]);
  }
  for (const side of sides) await side.stop();
  return {
    title: "Governance",
    note: `One program on a store that answers at once (off), and on SQLite with every request held, synced, posted and logged (on); the provider's first byte after ${FIRST_BYTE_MS} ms. Medians of ${rounds} rounds (least–most).`,
    tables: [{ head: ["", "CPU per request off, µs", "on, µs", "ratio"], rows }],
    aims: [
      {
        what: "CPU per request with the books on over off",
        measured: computeMedian(medians),
        unit: "×",
        atMost: 1.25,
      },
    ],
    bars: [],
  };
}

function askOfSide({ port, line }: Side): Ask {
  const headers = { authorization: `Bearer ${line.split(" ")[0]}` };
  const expected = { surface: "openai", chunks: null } as const;
  return prepareAsk(port, "/v1/chat/completions", headers, writeBody("Local#m", SCENARIO), expected);
}

async function bothSides({ directory, upstreamPort, isShort }: Stage): Promise<readonly Side[]> {
  const config = join(directory, "governed.yaml");
  await Bun.write(config, configOf(upstreamPort));
  const command = isShort ? [process.execPath, PROGRAM] : [await built(directory)];
  const sideOf = async (name: Side["name"], store: string): Promise<Side> => {
    const env = { BENCH_STORE: store, BENCH_CONFIG: config };
    return { ...(await start({ command, directory, env })), name };
  };
  return [await sideOf("off", "none"), await sideOf("on", `sqlite:${join(directory, "governed.db")}`)];
}

async function built(directory: string): Promise<string> {
  const program = join(directory, "governed");
  const flags = ["--compile", "--bytecode", "--format=esm"];
  const command = [process.execPath, "build", ...flags, PROGRAM, "--outfile", program];
  await run(command, directory, { NODE_ENV: "production" });
  return program;
}

function configOf(upstreamPort: number): string {
  const price = "price: { input: 0.25, output: 2 }";
  return [
    "server: { port: 0, admin_token: benchmark-admin-token }",
    "billing: { charge: always }",
    "providers:",
    "  Local:",
    "    dialect: openai",
    `    base_url: "http://127.0.0.1:${upstreamPort}/v1"`,
    "    keys: [sim]",
    `    models: [{ name: m, context: 131072, output: 8192, ${price} }]`,
    "",
  ].join("\n");
}
