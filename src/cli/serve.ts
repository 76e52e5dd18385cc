// `poundkey serve`: runs the gateway until it is told to stop, and takes changed settings while it runs.
import { ensureAdminToken } from "../admin/token.ts";
import { configJsonSchema } from "../config/schema.ts";
import { watchConfig } from "../config/watch.ts";
import type { ServerRules, Settings } from "../core/settings.ts";
import type { Log } from "../core/world.ts";
import type { Simulator } from "../simulator/server.ts";
import { gathered, logLines } from "../telemetry/log-lines.ts";
import { keepAccepting } from "./accepting.ts";
import { EXIT, type Io } from "./administration.ts";
import { type Arguments, configurationOf, misused, parseArguments, wholeOf } from "./arguments.ts";
import { type RunningGateway, startGateway } from "./composition.ts";
import {
  type ConfigurationFlags,
  configurationStamp,
  errorText,
  readConfiguration,
} from "./configuration.ts";
import { exposedFiles, type OpenedStore, openStore, storeLine } from "./opened-store.ts";
import { PROCESS_READINGS } from "./process-readings.ts";
import { greeting, quickstartSecret } from "./quickstart.ts";
import { withSimulator } from "./simulated.ts";
import { PART, tell, workerStops } from "./worker.ts";
import { sharedMetrics } from "./worker-metrics.ts";
import { claimPort, superviseWorkers } from "./workers.ts";
import { clock } from "./world.ts";

const WORKERS_MAX = 64;
const PORT_MAX = 65_535;

const HELP = `usage: poundkey serve [options]

Runs the gateway. Without a configuration file, the providers whose keys are in the environment are on.

  --host HOST               address to listen on (default: 127.0.0.1)
  --port N                  port to listen on, 0 for any free one (default: 8080)
  --workers N               so many processes that share the port (default: 1)
  --share-port              beside another gateway on the same port: for restarts that lose no request
  --simulate                adds the simulated provider Sim#…
  --quickstart              prints a ready key and a call to try; simulates when no provider is on
  --config FILE             configuration file (default: poundkey.yaml, if there is one)
  --store ADDRESS           sqlite:PATH or postgres://… (default: sqlite:./.poundkey/poundkey.db)`;

const FLAGS = {
  config: "value",
  store: "value",
  host: "value",
  port: "value",
  workers: "value",
  simulate: "switch",
  "share-port": "switch",
  quickstart: "switch",
  help: "switch",
} as const;

interface ServeFlags extends ConfigurationFlags {
  readonly workers: number;
  readonly simulate: boolean;
  readonly sharePort: boolean;
  readonly quickstart: boolean;
}

/** Runs until SIGTERM or SIGINT; gives the exit code. */
export async function runServe(args: readonly string[], io: Io): Promise<number> {
  const parsed = parseArguments(args, FLAGS, 0);
  if (parsed.ok && parsed.arguments.switches.has("help")) {
    io.out(HELP);
    return EXIT.done;
  }
  const given = parsed.ok ? flagsOf(parsed.arguments) : parsed.message;
  if (typeof given === "string") return misused("serve", given, io);
  const flags = PART === null ? given : { ...given, port: PART.port, store: PART.store };
  const loaded = readConfiguration(flags);
  if (!loaded.ok) {
    io.err(errorText(loaded.errors));
    return EXIT.failed;
  }
  const run = PART === null && flags.workers > 1 ? serveByWorkers : serve;
  try {
    return await run(flags, loaded.settings, io);
  } catch (error) {
    io.err(`poundkey: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.failed;
  }
}

/** The flags by what they mean; a sentence when a number among them is none. */
function flagsOf(given: Arguments): ServeFlags | string {
  const { values, switches } = given;
  const port = wholeOf(values.get("port"), 0, PORT_MAX);
  if (port === null) return `--port must be a whole number from 0 to ${PORT_MAX}`;
  const workers = wholeOf(values.get("workers"), 1, WORKERS_MAX);
  if (workers === null) return `--workers must be a whole number from 1 to ${WORKERS_MAX}`;
  return {
    ...configurationOf(given),
    host: values.get("host"),
    port,
    workers: workers ?? 1,
    simulate: switches.has("simulate"),
    sharePort: switches.has("share-port"),
    quickstart: switches.has("quickstart"),
  };
}

/** That the port can be had is found out before the workers start, which would share it with whoever has it. */
async function serveByWorkers(flags: ServeFlags, { server, store }: Settings): Promise<number> {
  // A free one has to be found before they can share it.
  const isTheirs = flags.sharePort && server.port !== 0;
  const claimed = isTheirs ? Promise.resolve(server.port) : claimPort(server.host, server.port);
  const port = await claimed.catch((error) => {
    throw cannotListen(server, error);
  });
  return superviseWorkers({ count: flags.workers, port, store, log: logOf(flags) });
}

function logOf({ quickstart }: ServeFlags): Log {
  const out = Bun.stdout.writer();
  const write = (text: string) => {
    out.write(text);
    void out.flush();
  };
  const lines = gathered(write, setImmediate);
  process.on("exit", lines.flush);
  return logLines(lines.write, clock.nowMs, quickstart ? "warn" : "info");
}

async function serve(flags: ServeFlags, loaded: Settings, io: Io): Promise<number> {
  const log = logOf(flags);
  warnOfFewFiles(log);
  const simulating = flags.simulate || (flags.quickstart && loaded.providers.length === 0);
  const simulator = simulating ? await startedSimulator() : null;
  const complete = (settings: Settings) => (simulator ? withSimulator(settings, simulator.url) : settings);
  const settings = complete(loaded);
  try {
    const opened = await openedStore(settings.store, io, log);
    const running = await listening(flags, settings, opened, log);
    // Before the address is told: a signal that follows the announcement must not end the process undrained.
    const stopped = PART === null ? stopSignal() : workerStops();
    if (PART?.announces ?? true) await announce(flags, settings, opened, running, io);
    return await untilStopped(flags, settings, { complete, running, stopped, log });
  } finally {
    await simulator?.stop();
  }
}

/**
 * Each client and each call to a provider takes a file descriptor; when they run out, new clients are refused.
 */
const FILES_MIN = 4096;

function warnOfFewFiles(log: Log): void {
  const max = PROCESS_READINGS.process_max_fds();
  if (max !== null && max < FILES_MIN)
    log({ event: "few_file_descriptors", level: "warn", max, advised: FILES_MIN });
}

/** Of several workers only one says what is the same for all. */
async function openedStore(address: string, io: Io, log: Log): Promise<OpenedStore> {
  const isSpeaker = PART?.announces ?? true;
  if (isSpeaker) io.err(storeLine(address));
  const opened = await openStore(address, process.env.POUNDKEY_MASTER_KEY);
  const files = isSpeaker ? exposedFiles(address) : [];
  if (files.length > 0) log({ event: "store_exposed", level: "warn", files });
  return opened;
}

async function startedSimulator(): Promise<Simulator> {
  const { startSimulator } = await import("../simulator/server.ts");
  return startSimulator({ host: "127.0.0.1", port: 0 });
}

async function listening(
  flags: ServeFlags,
  settings: Settings,
  opened: OpenedStore,
  log: Log,
): Promise<RunningGateway> {
  try {
    const shared = PART === null ? {} : { shareMetrics: sharedMetrics };
    const configSchema = configJsonSchema();
    const isRelieved = flags.sharePort;
    const reusePort = PART !== null || isRelieved;
    return await startGateway({ settings, opened, log, configSchema, reusePort, isRelieved, ...shared });
  } catch (error) {
    await opened.store.close();
    throw cannotListen(settings.server, error);
  }
}

function cannotListen({ host, port }: ServerRules, error: unknown): Error {
  return new Error(`can't listen on ${host}:${port}: ${error instanceof Error ? error.message : error}`);
}

/** On standard error: standard output is the log's, JSON lines alone. */
async function announce(
  flags: ServeFlags,
  settings: Settings,
  opened: OpenedStore,
  { port, providersOn }: RunningGateway,
  io: Io,
): Promise<void> {
  const { host, adminToken } = settings.server;
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  io.err(`Poundkey listens on ${address}`);
  const made = await ensureAdminToken(opened.world, adminToken);
  if (made !== null && !flags.quickstart) io.err(`Admin token, shown this once: ${made}`);
  if (!flags.quickstart) io.err(`The console is at ${address}/`);
  if (providersOn() === 0) {
    io.err(
      "No provider is on: set a provider's key (OPENAI_API_KEY …), write a poundkey.yaml, or add --simulate.",
    );
  }
  if (flags.quickstart) {
    io.err(greeting(address, await quickstartSecret(opened, settings.store), made, settings));
  }
}

interface Serving {
  /** Adds to reloaded settings what the command line asks for. */
  readonly complete: (settings: Settings) => Settings;
  readonly running: RunningGateway;
  /** Resolves when the process is told to stop. */
  readonly stopped: Promise<void>;
  readonly log: Log;
}

/** Takes reloads until it is told to stop, then lets the gateway finish. */
async function untilStopped(
  flags: ServeFlags,
  settings: Settings,
  { complete, running, stopped, log }: Serving,
): Promise<number> {
  const watch = watchConfig(settings, {
    clock,
    stamp: () => configurationStamp(flags),
    load: () => {
      const loaded = readConfiguration(flags);
      return loaded.ok ? { ...loaded, settings: complete(loaded.settings) } : loaded;
    },
    onSettings: (next, ignored) => {
      running.reload(next);
      log({ event: "config_reloaded", level: "warn", needs_restart: ignored });
    },
    onErrors: (errors) => log({ event: "config_refused", level: "error", errors: errorText(errors) }),
  });
  process.on("SIGHUP", watch.reload);
  process.on("unhandledRejection", (error) => {
    log({
      event: "internal_error",
      level: "error",
      cause: error instanceof Error ? error.stack : String(error),
    });
  });
  if (PART !== null) tell("listening");
  // The code up to here runs once: the binary is built to compile little of it (`--compile-jit-policy`), which spares a third of a start's CPU.
  Bun.unsafe.setJITPolicy(1);
  const endAccepting = keepAccepting(running.listener, clock, log);
  await stopped;
  log({ event: "stopping", level: "info", open_requests: running.gateway.open });
  watch.stop();
  endAccepting();
  await running.stop();
  return EXIT.done;
}

/** A signal to stop has come; a Ctrl-C after it ends at once, a SIGTERM after it changes nothing. */
async function stopSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    process.on("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
  });
  process.once("SIGINT", () => process.exit(EXIT.failed));
}
