// Assembles a running gateway from the rooms: everything is built here and passed on, and nothing reads configuration.

import { LiveFeed } from "../admin/log/live.ts";
import type { Sampling } from "../admin/models/sampling.ts";
import type { ConfigError } from "../config/errors.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { Fetch, Log } from "../core/world/world.ts";
import { KeptAnswers } from "../gateway/answer/kept-answers.ts";
import { Gateway, type GatewayPorts } from "../gateway/gateway.ts";
import type { Step } from "../gateway/step.ts";
import { Caches } from "../health/caches.ts";
import { Health } from "../health/health.ts";
import { KnownPrompts } from "../health/prompts.ts";
import { Stickiness } from "../health/stickiness.ts";
import type { RoutePorts } from "../http/models/route.ts";
import type { FilePorts, HttpPorts } from "../http/ports.ts";
import { listen } from "../http/serve/app.ts";
import { makeAddressReader, makeOriginReader } from "../http/serve/client-address.ts";
import { createAuthenticator } from "../keys/authenticate.ts";
import { ForeignSecrets } from "../keys/foreign.ts";
import { SecretShapes } from "../keys/secret-shape.ts";
import { createSealer } from "../keys/vault.ts";
import type { LearningPort } from "../learning/port.ts";
import { createLedger } from "../ledger/ledger.ts";
import { mayUseKeys } from "../people/member.ts";
import { PROVIDERS } from "../providers/index.ts";
import type { Sums } from "../telemetry/sums.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { createAuthorize } from "../transport/auth/authorize.ts";
import { DeadlineSweep } from "../transport/deadlines.ts";
import { KeptConnections } from "../transport/kept.ts";
import { Reachability } from "../transport/reachability.ts";
import { createBatches } from "./batches.ts";
import { createHeldParts } from "./held-parts.ts";
import { createKeepers } from "./keepers.ts";
import { measureLengths, recallLessons } from "./models/learning.ts";
import { createSampling } from "./models/sampling.ts";
import { createPeopleParts } from "./oidc/people-parts.ts";
import { composeRoutes } from "./routes.ts";
import { findListener, type Listener } from "./start/accepting.ts";
import { type DrainState, drain, NOTICE_MS } from "./start/drain.ts";
import { LiveConfiguration } from "./start/live-configuration.ts";
import type { OpenedStore } from "./start/open-store.ts";
import { noteRefusedReload, noteReload } from "./start/reload-notes.ts";
import { noteSettings } from "./start/settings-notes.ts";
import { observeState } from "./state.ts";
import { composeSteps, createJudges, type Judges } from "./steps.ts";
import { createTools, type Tools } from "./tools/tools.ts";
import { createTelling } from "./upkeep/telling.ts";
import { startUpkeep, writeRest } from "./upkeep/upkeep.ts";
import { clock, collect, random, reach, readTokenFile, upstreamFetch } from "./world.ts";

/** The longest wait at shutdown for requests to be settled. */
const SETTLE_MS = 5000;

interface GatewayOptions {
  readonly settings: Settings;
  readonly opened: OpenedStore;
  readonly log: Log;
  /** Makes the configuration file's JSON Schema. */
  readonly configSchema: () => object;
  /** True for a quick start. */
  readonly isQuickstart?: boolean;
  /** True if several processes share the port. */
  readonly reusePort: boolean;
  /** True if another gateway takes over the port. Until clients reach it, requests are still served here. */
  readonly isRelieved?: boolean;
  /** The time between the notice to clients and the end of listening. */
  readonly noticeMs?: number;
  /** The steps before and around every answer, in order. */
  readonly steps?: readonly Step[];
  /** Makes the upstream calls. Tests replace it. */
  readonly fetch?: Fetch;
  /** The state of providers, if it is known from another gateway's calls. */
  readonly health?: Health;
  /** Takes the app in place of a listener on the configured address. */
  readonly serve?: typeof listen;
  /** Tells whether the event loop is late: lines of batches wait while it is. */
  readonly isLate?: () => boolean;
  /** Tells what is late. Tests replace it by one whose clock they move. */
  readonly deadlines?: DeadlineSweep;
  /** Takes a reader of this process's metrics. The result reads the sum of all processes on the port, as text. */
  readonly shareMetrics?: (own: () => Sums) => () => Promise<string>;
}

export interface RunningGateway {
  readonly port: number;
  readonly gateway: Gateway;
  readonly sampling: Sampling;
  readonly listener: Listener;
  providersOn(): number;
  /** Applies other settings, except `server` and `store`. */
  reload(settings: Settings): void;
  /** Records that a changed configuration was refused, for the operator: the one before stays in use. */
  refuseReload(errors: readonly ConfigError[]): void;
  /** Refuses new work, lets running requests finish within `server.drain`, then ends the rest and closes the store. */
  stop(): Promise<void>;
}

/** Starts listening. Throws if the address is in use or the store is unusable. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { opened, settings: first, fetch = upstreamFetch, deadlines = new DeadlineSweep(clock) } = options;
  const ending: DrainState = { draining: false, refusing: false };
  const held = createHeldParts(first.server, deadlines, () => live.settings.responses.sockets);
  const later = () => ({ health, live, gateway, runner, tools, ledger });
  const state = observeState({ ...options, ...held, fetch, deadlines }, later);
  const { log, telemetry, refusals, measures, prices, priceBook } = state;
  const { store } = state.watch;
  const ledger = createLedger({ store, clock, rules: () => live.settings });
  const health: Health = options.health ?? new Health(log);
  const live = new LiveConfiguration(first, opened, { health, log, clock, fetch, deadlines });
  await live.readAdded();
  const { learned, lessons, learning } = await recallLessons(store, () => live.snapshot, log);
  const known = { health, learning, deadlines, caches: new Caches(), stickiness: new Stickiness() };
  const parts = { store, vault: opened.vault, fetch, log, world: opened.world, ports: () => ports };
  const judges = createJudges(parts, first);
  const listeners = { log, traces: telemetry, nameHider: judges.guard.nameHider };
  const { cache, filePorts, sweepFiles } = createKeepers(opened, { store, log, live });
  const own = { ...known, ...listeners, priceBook, ledger, steps: composeSteps(cache, judges, options) };
  const gateway = buildGateway(options, own, () => live.settings.log.content);
  const running = { gateway, ...filePorts, ledger, learning, live, deadlines, ending, ...listeners, ...held };
  const { ports, tools, runner, ...served } = createServed(options, running, own, store);
  const feed = new LiveFeed({ store, clock });
  void measureLengths(store, learned, log);
  const people = createPeopleParts(opened, live, log);
  const telling = createTelling({ store, ledger, live, health, ...judges, lessons, deadlines, fetch, log });
  const sweeps = { sweepFiles, sweepTools: tools.sweep };
  const upkept = { store, ledger, ...people.upkept, log, refusals, measures, prices, priceBook, ...telling };
  const endUpkeep = await startTasks({ ...upkept, ...sweeps, learning: lessons }, { live, gateway, ending });
  const sampling = createSampling({ ports, opened, known: learned });
  const write = () => writeRest({ store, refusals, clock, priceBook, refusalLessons: live.refusalLessons });
  const learnt = { known, learned, learning, sampling, tools, writeRefusals: write };
  const all = { ...learnt, ports, ...served, live, feed, ...people.served, fetch, ...state };
  const app = listenOrUndo(endUpkeep, () => (options.serve ?? listen)(composeRoutes({ ...options, ...all })));
  runner.start();
  return {
    port: app.server?.port ?? 0,
    gateway,
    sampling,
    listener: findListener(app),
    providersOn: () => live.settings.providers.length,
    ...createReloads(options, state, live, { ...judges, tools }),
    async stop() {
      feed.end();
      await drain({ ...readEndingTimes(options), ending, server: app.server, gateway, runner });
      await telling.delivering.stop(SETTLE_MS);
      await closeGateway(gateway, [endUpkeep, tools.close], { store, telemetry, log, write, deadlines });
    },
  };
}

/** Makes what clients reach beside the gateway itself: tool servers and batches. */
function createServed(
  options: GatewayOptions,
  running: HttpParts,
  own: Pick<GatewayPorts, "steps">,
  store: Store,
) {
  const { opened, fetch = upstreamFetch, isLate } = options;
  const ports = createHttpPorts(options, running);
  const tools = createTools({ ...running, ...own, opened, store, ports, fetch });
  const served = { ...ports, gatewayTools: tools.gatewayTools };
  return { ports: served, tools, ...createBatches({ ...running, isLate, opened, store, ports }) };
}

/** Returns what follows from a changed configuration. The address and the store stay until a restart. */
function createReloads(
  { opened: { world }, settings: { server, store } }: GatewayOptions,
  {
    log,
    telemetry,
    configuration,
  }: Pick<ReturnType<typeof observeState>, "log" | "telemetry" | "configuration">,
  live: LiveConfiguration,
  { guard, hooks, tools }: Judges & { readonly tools: Tools },
): Pick<RunningGateway, "reload" | "refuseReload"> {
  return {
    reload(next) {
      configuration.load();
      noteReload({ world, log }, live.configured, next);
      live.put({ ...next, server, store });
      guard.put(next.guard);
      hooks.put(next.hooks);
      tools.put(next);
      telemetry.put(next);
      // Requests that wait are served before.
      void Bun.sleep(0).then(() => noteSettings(next, log, clock.nowMs()));
    },
    refuseReload(errors) {
      configuration.refuse(errors);
      noteRefusedReload({ world, log }, errors);
    },
  };
}

type Tasks = Parameters<typeof startUpkeep>[0];

/** Starts the regular tasks with the current rules. */
function startTasks(
  upkept: Omit<
    Tasks,
    | ("clock" | "random" | "added" | "discovery" | "memory" | "listRunning" | "onUnsupported")
    | ("keepMs" | "responsesKeepMs" | "auditKeepMs")
  >,
  { live, gateway, ending }: Pick<HttpParts, "live" | "gateway" | "ending">,
): Promise<() => void> {
  noteSettings(live.settings, upkept.log, clock.nowMs());
  return startUpkeep({
    ...upkept,
    clock,
    random,
    added: live,
    discovery: { refresh: () => live.askLists() },
    memory: { open: () => gateway.open, collect },
    listRunning: () => gateway.listRunning(),
    // It finishes what runs, like a gateway that is asked to stop. The operator replaces it.
    onUnsupported: () => Object.assign(ending, { draining: true, refusing: true }),
    keepMs: () => live.settings.log.keepMs,
    responsesKeepMs: () => live.settings.responses.keepMs,
    auditKeepMs: () => live.settings.audit.keepMs,
  });
}

interface ClosedLast {
  readonly store: Store;
  readonly telemetry: Telemetry;
  readonly log: Log;
  readonly write: () => Promise<void>;
  readonly deadlines: Pick<DeadlineSweep, "stop">;
}

/** Calls `ends` once all requests are settled, sends the last spans, and closes the store. */
async function closeGateway(
  gateway: Gateway,
  ends: readonly (() => void | Promise<void>)[],
  { store, telemetry, log, write, deadlines }: ClosedLast,
): Promise<void> {
  await gateway.waitUntilSettled(SETTLE_MS);
  await Promise.all(ends.map((end) => end()));
  deadlines.stop();
  await write().catch((error: unknown) =>
    log({ event: "refusals_failed", level: "warn", cause: `${error}` }),
  );
  await Promise.all([telemetry.end(), store.close()]);
}

type HeldPorts = "bodies" | "earlier" | "turns" | "openSockets";

interface HttpParts
  extends FilePorts,
    Pick<HttpPorts, HeldPorts | "gateway" | "ledger" | "deadlines" | "log" | "traces" | "nameHider"> {
  readonly live: LiveConfiguration;
  readonly learning: LearningPort;
  readonly ending: DrainState;
}

function createHttpPorts(
  options: GatewayOptions,
  { live, learning, ending, ...running }: HttpParts,
): HttpPorts {
  const { store, vault } = options.opened;
  return {
    ...running,
    ...createCallerParts(options, live),
    vault,
    clock,
    random,
    snapshot: () => live.snapshot,
    kept: new KeptAnswers({ ...running, store, vault, clock, rules: () => live.settings.responses }),
    sealer: (accountId) => createSealer(vault, accountId),
    server: options.settings.server,
    addressRule: () => live.settings.log.address,
    tagsFrom: () => live.settings.tagsFrom,
    learned: () => learning.whenKnown(),
    cacheRules: () => live.settings.cache,
    sockets: () => live.settings.responses.sockets,
    draining: () => ending.draining,
    refusing: () => ending.refusing,
  };
}

function createCallerParts({ opened, settings }: GatewayOptions, live: LiveConfiguration) {
  const { trustedProxies } = settings.server;
  const readOrigin = makeOriginReader(trustedProxies);
  const agents = {
    find: (digest: string) => opened.store.devices.agentByDigest(digest),
    publicUrl: () => live.settings.signIn?.publicUrl ?? null,
  };
  const foreign = new ForeignSecrets({ store: opened.store, clock, untilMs: () => live.foreign.untilMs });
  const vendors = PROVIDERS.flatMap(({ name, secrets }) =>
    secrets === undefined ? [] : [{ look: secrets, owner: name }],
  );
  return {
    authenticate: createAuthenticator({
      ...opened.world,
      mayUseKeys,
      memberDefaults: () => live.settings.ownerLimits.memberDefaults,
      agents,
      foreign,
    }),
    readAddress: makeAddressReader(trustedProxies),
    readOrigin,
    secretShapes: new SecretShapes(vendors),
  };
}

function readEndingTimes({ noticeMs = NOTICE_MS, isRelieved = false, settings }: GatewayOptions) {
  return { noticeMs, isRelieved, drainMs: settings.server.drainMs };
}

function buildGateway(
  { opened, fetch = upstreamFetch }: GatewayOptions,
  parts: Pick<GatewayPorts, "log" | "ledger" | "learning" | "traces" | "steps" | "priceBook"> &
    RoutePorts["known"],
  isContentWanted: () => boolean,
): Gateway {
  const { store, contentVault, vault } = opened;
  return new Gateway({
    ...parts,
    contents: { store, vault: contentVault, isWanted: isContentWanted },
    clock,
    random,
    vault,
    fetch,
    reachability: new Reachability(parts.deadlines, reach),
    kept: new KeptConnections(),
    prompts: new KnownPrompts(random),
    authorize: createAuthorize({ clock, deadlines: parts.deadlines, fetch, readFile: readTokenFile }),
  });
}

/** Calls `undo` if the address can't be used. */
function listenOrUndo<App>(undo: () => void, listen: () => App): App {
  try {
    return listen();
  } catch (error) {
    undo();
    throw error;
  }
}
