// `poundkey serve`: runs the gateway until a signal stops it.
import { type StartOptions, start } from "../../app/start/start.ts";
import { isHost } from "../../config/units.ts";
import {
  type Arguments,
  makeFlagCommand,
  readConfigurationFlags,
  readInteger,
  UsageError,
} from "../arguments.ts";

const WORKERS_MAX = 64;
const PORT_MAX = 65_535;

const HELP = `usage: poundkey serve [options]

Runs the gateway. Without a configuration file, the providers whose API keys are in the environment are enabled.

  --host HOST               the address to listen on (default: 127.0.0.1)
  --port N                  the port to listen on, 0 for any free one (default: 8080)
  --workers N               the number of processes that share the port (default: 1)
  --share-port              share the port with another gateway, to restart without losing requests
  --stop-older              migrate although nodes run that the new schema doesn't support: they refuse requests from then on
  --simulate                add the simulated provider Sim#…
  --quickstart              print an API key and a call to try; simulates if no provider is enabled
  --config FILE             the configuration file (default: poundkey.yaml of its place, if it exists)
  --store ADDRESS           the store: sqlite:PATH or postgres://… (default: sqlite:./.poundkey/poundkey.db)

With POUNDKEY_PLACES=user, which the npm package sets, configuration and store lie in the user's own folders:
~/.config/poundkey/poundkey.yaml and ~/.local/share/poundkey/poundkey.db.

examples:
  poundkey serve --simulate
  poundkey serve --config /etc/poundkey.yaml --host 0.0.0.0 --workers 4`;

const FLAGS = {
  config: "value",
  store: "value",
  host: "value",
  port: "value",
  workers: "value",
  simulate: "switch",
  "share-port": "switch",
  quickstart: "switch",
  "stop-older": "switch",
  help: "switch",
} as const;

/** Serves until SIGTERM or SIGINT. Returns the exit code. */
export const runServe = makeFlagCommand({ name: "serve", help: HELP, flags: FLAGS }, (given, io) =>
  start(readOptions(given), io),
);

function readHost(text: string | undefined): string | undefined {
  if (text === undefined || isHost(text)) return text;
  throw new UsageError("--host must be an IP address or a host name");
}

function readOptions(args: Arguments): StartOptions {
  const { values, switches } = args;
  return {
    ...readConfigurationFlags(args),
    host: readHost(values.get("host")),
    port: readInteger(args, "port", 0, PORT_MAX),
    workers: readInteger(args, "workers", 1, WORKERS_MAX) ?? 1,
    simulate: switches.has("simulate"),
    sharePort: switches.has("share-port"),
    quickstart: switches.has("quickstart"),
    stopsOlder: switches.has("stop-older"),
  };
}
