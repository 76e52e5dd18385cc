// `poundkey simulate`: runs only the simulated providers, each in its native wire format, until a signal stops it.

import { EXIT, type Io } from "../app/terminal.ts";
import { formatControlHelp } from "../simulator/control.ts";
import { SIM_DIALECTS, startSimulator } from "../simulator/server.ts";
import { parseArguments, parseWhole, reportMisuse } from "./arguments.ts";

const PORT = 8090;
const PORT_MAX = 65_535;
const SEED_MAX = 999_999_999;
const FLAGS = { host: "value", port: "value", seed: "value", help: "switch" } as const;

export async function runSimulate(args: readonly string[], io: Io): Promise<number> {
  const parsed = parseArguments(args, FLAGS, 0);
  if (!parsed.ok) {
    return reportMisuse("simulate", parsed.message, io);
  }
  const { values, switches } = parsed.arguments;
  if (switches.has("help")) {
    io.out(writeHelp());
    return EXIT.done;
  }
  const port = parseWhole(values.get("port") ?? String(PORT), 0, PORT_MAX) ?? null;
  if (port === null)
    return reportMisuse("simulate", `--port must be a whole number from 0 to ${PORT_MAX}`, io);
  const seed = parseWhole(values.get("seed") ?? "0", 0, SEED_MAX) ?? null;
  if (seed === null)
    return reportMisuse("simulate", `--seed must be a whole number from 0 to ${SEED_MAX}`, io);
  const simulator = await startSimulator({ host: values.get("host") ?? "127.0.0.1", port, seed });
  io.out(`The simulated providers listen on ${simulator.url}`);
  for (const { name, prefix } of SIM_DIALECTS) io.out(`  ${name.padEnd(12)}${simulator.url}${prefix}`);
  await new Promise<void>((resolve) => {
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
  });
  await simulator.stop();
  return EXIT.done;
}

function writeHelp(): string {
  return [
    "usage: poundkey simulate [--host HOST] [--port N] [--seed N]",
    "",
    `Runs the simulated providers alone (default port: ${PORT}), each in its native wire format.`,
    "",
    formatControlHelp(),
  ].join("\n");
}
