// What governance costs: the same program with every request held, posted and logged on SQLite, and on a store that answers at once.
import { join } from "node:path";
import { cpuPerRequest, medianOf, type Scenario, start, type Target } from "./measure.ts";

const ROUNDS = 5;
const WARM_UP = 400;
const FIRST_BYTE_MS = 20;
const PROGRAM = join(import.meta.dir, "governed.ts");

function scenarioOf(connections: number): Scenario {
  return {
    name: `${connections} connections`,
    model: `sim-mini~latency=${FIRST_BYTE_MS}`,
    stream: false,
    requests: 3000,
    connections,
    isRight: (text) => text.includes('"finish_reason":"stop"'),
  };
}

/** Prints a table; `upstream` is the simulator's base URL of the OpenAI dialect. */
export async function compareGovernance(upstream: string, directory: string): Promise<void> {
  const config = join(directory, "governed.yaml");
  await Bun.write(config, configOf(upstream));
  const program = join(directory, "governed");
  const built = Bun.spawnSync([
    ...[process.execPath, "build", "--compile", "--bytecode", "--format=esm"],
    ...[PROGRAM, "--outfile", program],
  ]);
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  const targetOf = async (name: string, store: string): Promise<Target> => {
    const { url, pid, line } = await start([program], directory, {
      BENCH_STORE: store,
      BENCH_CONFIG: config,
    });
    const headers = { authorization: `Bearer ${line.split(" ")[0]}` };
    return { name, url: `${url}/v1/chat/completions`, pid, headers, modelPrefix: "Local#" };
  };
  const off = await targetOf("off", "none");
  const on = await targetOf("on", `sqlite:${join(directory, "governed.db")}`);
  console.log("");
  console.log(`Governance: upstream's first byte after ${FIRST_BYTE_MS} ms, median of ${ROUNDS} rounds`);
  console.log("");
  console.log("| | CPU per request, off | on: paid, held, posted, logged | ratio | spread of the ratio |");
  console.log("|---|---|---|---|---|");
  for (const connections of [16, 64, 256]) await compare(off, on, scenarioOf(connections));
}

async function compare(off: Target, on: Target, scenario: Scenario): Promise<void> {
  const rounds: { off: number; on: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const first = await cpuPerRequest(round % 2 ? on : off, scenario, WARM_UP);
    const second = await cpuPerRequest(round % 2 ? off : on, scenario, WARM_UP);
    rounds.push(round % 2 ? { on: first, off: second } : { off: first, on: second });
  }
  const ratios = rounds.map(({ off: without, on: governed }) => governed / without);
  const cells = [
    scenario.name,
    `${medianOf(rounds.map((one) => one.off)).toFixed(0)} µs`,
    `${medianOf(rounds.map((one) => one.on)).toFixed(0)} µs`,
    medianOf(ratios).toFixed(2),
    `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

function configOf(upstream: string): string {
  const price = "price: { input: 0.25, output: 2 }";
  return [
    "server: { port: 0, admin_token: bench }",
    "billing: { charge: always }",
    "providers:",
    "  Local:",
    "    dialect: openai",
    `    base_url: "${upstream}"`,
    "    keys: [sim]",
    "    models:",
    `      - { name: "sim-mini~latency=${FIRST_BYTE_MS}", context: 131072, output: 8192, ${price} }`,
    "",
  ].join("\n");
}
