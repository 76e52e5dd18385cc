// Starts a serving process, or several sharing the port: opens the store, listens, reloads, and stops at a signal.
import { version } from "../../../package.json" with { type: "json" };
import { ensureAdminToken } from "../../admin/people/token.ts";
import type { Sections } from "../../config/load.ts";
import { configJsonSchema } from "../../config/published-schema.ts";
import { watchConfig } from "../../config/watch.ts";
import { LastingError } from "../../core/faults/lasting-error.ts";
import type { LogRules, ServerRules, Settings } from "../../core/settings.ts";
import type { Log, LogEvent } from "../../core/world/world.ts";
import type { Simulator } from "../../simulator/server.ts";
import { createLineLog, gatherWrites } from "../../telemetry/log-lines.ts";
import { createOutput } from "../../telemetry/log-output.ts";
import { type RunningGateway, startGateway } from "../composition.ts";
import { checkActing, refuseReloaded } from "../guard/acting.ts";
import { createGentle } from "../models/catalogue-apart.ts";
import { EXIT, type Io } from "../terminal.ts";
import { PROCESS_READINGS } from "../upkeep/process-readings.ts";
import { waitForSignal } from "../workers/stop-signal.ts";
import { endsWithTerminal } from "../workers/terminal-end.ts";
import { PART, sendToParent, shareMetrics, type WorkerPart, waitForStop } from "../workers/worker.ts";
import { checkPort, Supervisor } from "../workers/workers.ts";
import { clock } from "../world.ts";
import { startAcceptGuard } from "./accepting.ts";
import {
  type ConfigurationFlags,
  ENVIRONMENT,
  formatErrors,
  loadConfig,
  readStoreAddress,
  source,
  stampConfiguration,
} from "./configuration.ts";
import { describeListenError } from "./listen-error.ts";
import { describeStore, findExposedFiles, type OpenedStore, openStore } from "./open-store.ts";
import { describeRotated } from "./rotated.ts";
import { notifyReady } from "./service-notify.ts";
import { addSimulator, nameClients } from "./simulated.ts";
import { ValueFiles } from "./value-files.ts";

/** Each client and each provider call takes a file descriptor. When they run out, new clients are refused. */
const FILES_MIN = 4096;

/** The most text of log lines that waits for the reader of standard output, in UTF-16 code units. */
const LOG_BEHIND_MAX = 8 * 2 ** 20;

/** The flags, and the file that configures the gateway: "environment" if there is none. */
interface StartContext extends StartOptions {
  readonly file: string;
  readonly sections: Sections;
}

export interface StartOptions extends ConfigurationFlags {
  readonly workers: number;
  readonly simulate: boolean;
  readonly sharePort: boolean;
  readonly quickstart: boolean;
  /** True if the store may be migrated although it ends the support for programs whose nodes run. */
  readonly stopsOlder: boolean;
}

/** Serves until SIGTERM or SIGINT. Returns the exit code. */
export async function start(options: StartOptions, io: Io): Promise<number> {
  const given = { ...options, isSimulated: options.simulate || options.quickstart };
  const own = PART === null ? given : { ...given, ...readPart(PART) };
  const { loaded, file } = loadConfig(own, source);
  if (!loaded.ok) {
    io.err(formatErrors(loaded.errors));
    return loaded.isPlace ? EXIT.failed : EXIT.lasting;
  }
  const run = PART === null && own.workers > 1 ? serveByWorkers : serve;
  try {
    const { settings, sections } = loaded;
    const port = await choosePort(own, settings.server, io);
    const server = { ...settings.server, ...(port !== undefined && { port }) };
    const code = await run({ ...own, port, file, sections }, { ...settings, server }, io);
    if (own.quickstart && PART === null) await endQuickstart(settings);
    return code;
  } catch (error) {
    io.err(`poundkey: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof LastingError ? EXIT.lasting : EXIT.failed;
  }
}

async function endQuickstart({ store }: Settings): Promise<void> {
  const { dropRunning } = await import("../quickstart/running.ts");
  dropRunning(store);
}

/** Returns the port in place of the configuration's. */
async function choosePort(
  { quickstart, port, sharePort }: StartOptions,
  server: ServerRules,
  { err }: Io,
): Promise<number | undefined> {
  if (!quickstart || port !== undefined || sharePort || PART !== null) return port;
  const { chooseFreePort } = await import("../quickstart/free-port.ts");
  return chooseFreePort(server, err);
}

/** A worker that replaces another refuses what a reload would have refused. */
function readPart({ port, store, storeSource, config }: WorkerPart): ConfigurationFlags {
  const place = { port, store, ...(storeSource === null ? {} : { storeSource }) };
  return { ...place, ...(config === null ? {} : { config, mayBeEmpty: false }) };
}

/** Looks at the port before the workers start, since they would share it with any other process that has it. */
async function serveByWorkers(
  options: StartContext,
  { server, store, storeSource, log }: Settings,
  { err }: Io,
): Promise<number> {
  const { host, port } = server;
  if (!options.sharePort && port !== 0)
    await checkPort(host, port).catch((error) => {
      throw describeListenError(server, error);
    });
  const config = Object.keys(options.sections).length === 0 ? null : options.file;
  const shared = { port, store, storeSource: storeSource ?? null, config };
  return new Supervisor({ ...shared, count: options.workers, log: createLog(options, err, () => log) }).run();
}

/** `rules` returns the current ones, because a reload may change the level. */
function createLog({ quickstart }: StartOptions, say: Io["err"], rules: () => LogRules): Log {
  const lines = gatherWrites(createOutput(Bun.stdout.writer(), LOG_BEHIND_MAX, say), setImmediate);
  process.on("exit", lines.flush);
  return createLineLog(lines.write, clock.nowMs, () => rules().level ?? (quickstart ? "warn" : "info"));
}

async function serve(options: StartContext, loaded: Settings, io: Io): Promise<number> {
  const live = { settings: loaded };
  const hasTerminal = endsWithTerminal();
  const loadedStamp = stampConfiguration(options, loaded);
  const log = createLog(options, io.err, () => live.settings.log);
  warnOfFewFiles(log);
  const isSimulating = options.simulate || (options.quickstart && loaded.providers.length === 0);
  const simulator = isSimulating ? await startLocalSimulator() : null;
  const complete = (settings: Settings) =>
    nameClients(options, simulator ? addSimulator(settings, simulator.url) : settings);
  const settings = complete(loaded);
  try {
    const opened = await openAndDescribeStore(options, settings, io, log);
    const running = await listen(options, settings, opened, log);
    // The handlers come before the announcement: a signal right after it must not end the process undrained.
    const stopped = PART === null ? waitForSignal(hasTerminal) : waitForStop();
    if (PART?.announces ?? true) {
      await announce(options, settings, opened, running, io);
      log(describeStart(options, settings, running));
      (await import("../models/claude-providers.ts")).noteMarks(settings, log);
      void notifyReady(log);
    }
    live.settings = settings;
    return await runUntilStopped(options, live, {
      complete,
      opened,
      running,
      stopped,
      log,
      loadedStamp,
      hasTerminal,
    });
  } finally {
    await simulator?.stop();
  }
}

function warnOfFewFiles(log: Log): void {
  const max = PROCESS_READINGS.process_max_fds();
  if (max !== null && max < FILES_MIN)
    log({ event: "few_file_descriptors", level: "warn", max, advised: FILES_MIN });
}

/** Prints the store's address and warns of files that others can read. Only one of several workers does. */
async function openAndDescribeStore(
  { sharePort, stopsOlder }: StartContext,
  settings: Settings,
  io: Io,
  log: Log,
): Promise<OpenedStore> {
  const { store: address, server } = settings;
  // Beside another gateway on the port, that one answers.
  const isAnswering = !sharePort && server.port !== 0;
  const probes = { hostname: server.host, port: server.port, reusePort: PART !== null };
  const isSpeaker = PART?.announces ?? true;
  if (isSpeaker) io.err(describeStore(address));
  const readAddress = () => readStoreAddress(settings, source);
  const opened = await openStore(address, process.env.POUNDKEY_MASTER_KEY, "make", {
    readAddress,
    waitMs: server.storeWaitMs,
    stopsOlder,
    ...(isAnswering ? { probes } : {}),
  });
  await checkActing(settings.guard, { store: opened.store, stopsOlder });
  const files = isSpeaker ? findExposedFiles(address) : [];
  if (files.length > 0) log({ event: "store_exposed", level: "warn", files });
  return opened;
}

async function startLocalSimulator(): Promise<Simulator> {
  const { startSimulator } = await import("../../simulator/server.ts");
  return startSimulator({ host: "127.0.0.1", port: 0 });
}

async function listen(
  options: StartOptions,
  settings: Settings,
  opened: OpenedStore,
  log: Log,
): Promise<RunningGateway> {
  try {
    const shared = PART === null ? {} : { shareMetrics };
    const isRelieved = options.sharePort;
    const reusePort = PART !== null || isRelieved;
    return await startGateway({
      settings,
      opened,
      log,
      reusePort,
      isRelieved,
      isQuickstart: options.quickstart,
      ...shared,
      configSchema: configJsonSchema,
    });
  } catch (error) {
    await opened.store.close();
    throw describeListenError(settings.server, error);
  }
}

/** Prints to standard error, because standard output is only for the log's JSON lines. */
async function announce(
  options: StartOptions,
  settings: Settings,
  opened: OpenedStore,
  { port, providersOn }: RunningGateway,
  io: Io,
): Promise<void> {
  const { host, adminToken } = settings.server;
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  io.err(`Poundkey listens on ${address}`);
  const made = await ensureAdminToken(opened.world, adminToken);
  if (made !== null && !options.quickstart) io.err(`Admin token (shown only once): ${made}`);
  if (!options.quickstart) io.err(`The console is at ${address}/`);
  if (providersOn() === 0) {
    io.err(
      "No provider is enabled. Set a provider's API key (OPENAI_API_KEY …), write a poundkey.yaml, or start with --simulate.",
    );
  }
  if (options.quickstart) {
    const { announceQuickstart } = await import("../quickstart/announce.ts");
    io.err(await announceQuickstart({ address, opened, settings, made }));
  }
}

/** Returns the log's line of the start. The store is named by its kind, because its address may hold a password. */
function describeStart(
  { file, workers }: StartContext,
  settings: Settings,
  { port }: RunningGateway,
): LogEvent {
  const { server, store, providers } = settings;
  return {
    event: "started",
    level: "info",
    version,
    address: `${server.host}:${port}`,
    configuration: file,
    store: store.split(":")[0],
    providers: providers.map(({ name }) => name),
    workers,
  };
}

interface StartedServing {
  /** Adds what the command line asks for to reloaded settings. */
  readonly complete: (settings: Settings) => Settings;
  readonly opened: OpenedStore;
  readonly running: RunningGateway;
  /** Resolves when a signal asks the process to stop. */
  readonly stopped: Promise<void>;
  readonly log: Log;
  /** The configuration's stamp when it was loaded. */
  readonly loadedStamp: string | null;
  /** True if SIGHUP means that the terminal was closed. */
  readonly hasTerminal: boolean;
}

/** Applies reloads until the process is asked to stop, then lets the gateway finish. */
async function runUntilStopped(
  options: StartContext,
  live: { settings: Settings },
  { complete, opened: { store }, running, stopped, log, loadedStamp, hasTerminal }: StartedServing,
): Promise<number> {
  let { file } = options;
  const values = new ValueFiles(source, log);
  values.keep(live.settings.valueFiles);
  const watch = watchConfig({ ...live, sections: options.sections }, loadedStamp, {
    clock,
    stamp: () => stampConfiguration(options, live.settings),
    gently: {
      ...createGentle(() => live.settings.catalogueFile),
      // A node is stopped by a start, which somebody watches.
      refuse: ({ guard }) => refuseReloaded(file, guard, { store, stopsOlder: false }),
    },
    load: (mayBeEmpty) => {
      // A default file that was in use must not be missing either.
      const named = file === ENVIRONMENT ? options : { ...options, config: file };
      const again = loadConfig({ ...named, mayBeEmpty }, { ...source, readFile: values.readFile });
      const { loaded } = again;
      if (loaded.ok) file = again.file;
      return loaded.ok ? { ...loaded, settings: complete(loaded.settings) } : loaded;
    },
    onSettings: (next, changed, ignored) => {
      for (const rotated of describeRotated(live.settings.providers, next.providers)) log(rotated);
      live.settings = next;
      values.keep(next.valueFiles);
      running.reload(next);
      log({ event: "config_reloaded", level: "warn", changed, needs_restart: ignored });
    },
    onErrors: (errors) => {
      running.refuseReload(errors);
      log({ event: "config_refused", level: "error", errors: formatErrors(errors) });
    },
  });
  if (!hasTerminal) process.on("SIGHUP", watch.reload);
  logRejections(log);
  if (PART !== null) sendToParent({ listening: running.port });
  // The binary compiles little of the code up to here (`--compile-jit-policy`), which saves a third of a start's CPU.
  Bun.unsafe.setJITPolicy(1);
  const endAccepting = startAcceptGuard(running.listener, clock, log);
  await stopped;
  log({ event: "stopping", level: "info", open_requests: running.gateway.open });
  watch.stop();
  endAccepting();
  await running.stop();
  return EXIT.done;
}

function logRejections(log: Log): void {
  process.on("unhandledRejection", (error) => {
    const cause = error instanceof Error ? error.stack : String(error);
    log({ event: "internal_error", level: "error", cause });
  });
}
