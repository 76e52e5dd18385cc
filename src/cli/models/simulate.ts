// `poundkey simulate`: runs only the simulated providers, each in its native wire format, until a signal stops it.

import { describeListenError } from "../../app/start/listen-error.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { formatControlHelp } from "../../simulator/control.ts";
import { SIM_DIALECTS } from "../../simulator/dialects.ts";
import { startSimulator } from "../../simulator/server.ts";
import { formatJson } from "../administration.ts";
import { type Arguments, COMMON_FLAGS, makeFlagCommand, readInteger } from "../arguments.ts";

const PORT = 8090;
const PORT_MAX = 65_535;
const SEED_MAX = 999_999_999;
/** Every command takes `--config` and `--store`, though this one needs neither. */
const FLAGS = { ...COMMON_FLAGS, host: "value", port: "value", seed: "value" } as const;

export const runSimulate = makeFlagCommand({ name: "simulate", help: writeHelp(), flags: FLAGS }, simulate);

async function simulate(args: Arguments, io: Io): Promise<number> {
  const host = args.values.get("host") ?? "127.0.0.1";
  const port = readInteger(args, "port", 0, PORT_MAX) ?? PORT;
  const seed = readInteger(args, "seed", 0, SEED_MAX) ?? 0;
  const simulator = await startSimulator({ host, port, seed }).catch((error: unknown) => {
    io.err(`poundkey: ${describeListenError({ host, port }, error).message}`);
    return null;
  });
  if (simulator === null) return EXIT.failed;
  const urls = SIM_DIALECTS.map(({ name, prefix }) => [name, `${simulator.url}${prefix}`] as const);
  const lines = urls.map(([name, url]) => `\n  ${name.padEnd(12)}${url}`).join("");
  const text = `The simulated providers listen on ${simulator.url}${lines}`;
  io.out(args.switches.has("json") ? formatJson(Object.fromEntries(urls)) : text);
  await new Promise<void>((resolve) => {
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
  });
  await simulator.stop();
  return EXIT.done;
}

function writeHelp(): string {
  return [
    "usage: poundkey simulate [--host HOST] [--port N] [--seed N] [--json]",
    "",
    `Runs only the simulated providers (default port: ${PORT}), each in its native wire format.`,
    "",
    "  --host HOST  the address to listen on (default: 127.0.0.1)",
    "  --port N     the port to listen on, 0 for any free one",
    "  --seed N     makes the answers' ids repeatable (default: 0)",
    "",
    "Also accepts --config FILE and --store S, like every command, but ignores them.",
    "",
    formatControlHelp(),
    "",
    "examples:",
    "  poundkey simulate --port 9090",
  ].join("\n");
}
