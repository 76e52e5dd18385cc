// `poundkey health`: says whether a running gateway is ready, for the health checks of containers.
import { askReady, READY_TIMEOUT_MS } from "../../app/start/ask-ready.ts";
import {
  type ConfigSource,
  formatErrors,
  loadConfig,
  loadServerConfig,
} from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import type { ServerRules } from "../../core/settings.ts";
import { formatJson } from "../administration.ts";
import {
  type Arguments,
  COMMON_FLAGS,
  makeFlagCommand,
  readConfigurationFlags,
  UsageError,
} from "../arguments.ts";

const HELP = `usage: poundkey health [--url URL] [--json]

Asks a running gateway whether it is ready to serve (/readyz). Exits with 0 if it is, and with 1 if it isn't or doesn't
answer within ${READY_TIMEOUT_MS / 1000} seconds.

  --url URL                 the gateway's address (default: the configured host and port on this machine)
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey health
  poundkey health --url http://127.0.0.1:8081`;

const FLAGS = { ...COMMON_FLAGS, url: "value" } as const;

/** Returns the exit code: 0 if the gateway is ready, otherwise 1. */
export const runHealth = makeFlagCommand({ name: "health", help: HELP, flags: FLAGS }, show);

async function show(args: Arguments, io: Io, source: ConfigSource): Promise<number> {
  const url = readUrl(args) ?? findLocalUrl(args, io, source);
  if (url === null) return EXIT.failed;
  const health = await askReady(url);
  const { ready, problems } = health;
  if (args.switches.has("json")) io.out(formatJson(health));
  else if (ready) io.out(["ready", ...problems].join("\n"));
  else io.err(`not ready: ${problems.join("; ")}`);
  return ready ? EXIT.done : EXIT.failed;
}

function readUrl({ values }: Arguments): URL | null {
  const text = values.get("url");
  if (text === undefined) return null;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol))
    return new URL("readyz", `${url.origin}${url.pathname.replace(/\/*$/, "/")}`);
  throw new UsageError("--url must be an address such as http://127.0.0.1:8080");
}

/**
 * A gateway that runs has refused a file with mistakes and serves on, so it is asked all the same. Null, with the mistakes
 * printed, if they hide where it listens.
 */
function findLocalUrl(args: Arguments, io: Io, source: ConfigSource): URL | null {
  const flags = readConfigurationFlags(args);
  const { loaded } = loadConfig(flags, source);
  const server = loaded.ok ? loaded.settings.server : loadServerConfig(flags, source);
  if (!loaded.ok) io.err(`${server ? "warning: " : ""}${formatErrors(loaded.errors)}`);
  // The gateway is on this machine, where no proxy leads.
  process.env.NO_PROXY = "*";
  return server && makeLocalUrl(server);
}

/** The addresses that stand for all of the machine's are none to call. */
const LOCAL: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function makeLocalUrl({ host, port }: Pick<ServerRules, "host" | "port">): URL {
  const address = LOCAL[host] ?? host;
  return new URL(`http://${address.includes(":") ? `[${address}]` : address}:${port}/readyz`);
}
