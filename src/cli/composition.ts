// The rooms put together into a running gateway: everything is built here and handed on, nothing reads configuration.
import { version } from "../../package.json" with { type: "json" };
import { holderView } from "../admin/holder.ts";
import { LiveFeed } from "../admin/live.ts";
import { checkScraper } from "../admin/scrape.ts";
import { WrongTokens } from "../admin/wrong-tokens.ts";
import type { GatewayKey } from "../core/key.ts";
import type { ServerRules, Settings } from "../core/settings.ts";
import type { Fetch, Log } from "../core/world.ts";
import { Deadlines } from "../gateway/deadlines.ts";
import { Gateway, type GatewayPorts } from "../gateway/gateway.ts";
import { KeptConnections } from "../gateway/kept.ts";
import { Reachability } from "../gateway/reachability.ts";
import { Caches } from "../health/caches.ts";
import { Health } from "../health/health.ts";
import { countOpenBreakers } from "../health/report.ts";
import { Stickiness } from "../health/stickiness.ts";
import { adminRoutes, type LearnedView } from "../http/admin.ts";
import { providerRoutes } from "../http/admin-providers.ts";
import { buildApp, listen } from "../http/app.ts";
import { BodyMemory } from "../http/body-memory.ts";
import { BodyTurns } from "../http/body-turns.ts";
import { originReader, type ReadOrigin } from "../http/client-address.ts";
import { consoleRoutes } from "../http/console.ts";
import { docsRoutes } from "../http/docs.ts";
import { healthRoutes } from "../http/health.ts";
import { keyRoutes } from "../http/key.ts";
import { liveRoutes } from "../http/live.ts";
import { modelRoutes } from "../http/models.ts";
import { playgroundRoutes } from "../http/playground.ts";
import type { HttpPorts } from "../http/ports.ts";
import { responseRoutes } from "../http/responses.ts";
import { type RoutePorts, routeRoutes } from "../http/route.ts";
import { surfaceRoutes } from "../http/serve.ts";
import { sessionRoutes } from "../http/session.ts";
import { authenticator } from "../keys/authenticate.ts";
import { createSealer } from "../keys/vault.ts";
import { createLedger } from "../ledger/ledger.ts";
import { Learned } from "../selectors/learning/learned.ts";
import { exposition } from "../telemetry/exposition.ts";
import { Metrics } from "../telemetry/metrics.ts";
import type { Sums } from "../telemetry/sums.ts";
import { findListener, type Listener } from "./accepting.ts";
import { consoleFiles } from "./console-files.ts";
import { docsFiles } from "./docs-files.ts";
import { drained, type Ending, NOTICE_MS } from "./drain.ts";
import { InForce } from "./in-force.ts";
import { Learning, measureLogged } from "./learning.ts";
import { lengthShown } from "./lessons.ts";
import type { OpenedStore } from "./opened-store.ts";
import { PROCESS_READINGS } from "./process-readings.ts";
import { providerPorts } from "./provider-ports.ts";
import { keepUp } from "./upkeep.ts";
import { clock, collect, random, reach, upstreamFetch } from "./world.ts";

/** The time that served requests have to be written down. */
const SETTLE_MS = 5000;

export interface GatewayOptions {
  readonly settings: Settings;
  readonly opened: OpenedStore;
  readonly log: Log;
  readonly configSchema: object;
  /** Several processes share the port. */
  readonly reusePort: boolean;
  /** True if another gateway has the port too when this one stops: requests that still come here are served until they go there. */
  readonly isRelieved?: boolean;
  /** For how long clients are given notice before the listener stops. */
  readonly noticeMs?: number;
  /** Upstream calls; the tests' way to see them. */
  readonly fetch?: Fetch;
  /** Given what gives this process's metrics, gives what gives the text of those of all that share the port. */
  readonly shareMetrics?: (own: () => Sums) => () => Promise<string>;
}

export interface RunningGateway {
  readonly port: number;
  readonly gateway: Gateway;
  readonly listener: Listener;
  /** The number of providers that are on now. */
  providersOn(): number;
  /** Puts other settings in force; `server` and `store` stay. */
  reload(settings: Settings): void;
  /** Takes no new work, lets what runs finish within `server.drain`, then ends the rest and closes the store. */
  stop(): Promise<void>;
}

/** Starts listening. Throws when the address can't be had, or the store can't be used. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { opened, settings: first } = options;
  const { store, vault } = opened;
  const ending: Ending = { draining: false, refusing: false };
  const deadlines = new Deadlines(clock);
  const ledger = createLedger({ store, clock, rules: () => inForce.settings });
  const metrics: Metrics = new Metrics({
    readings: {
      poundkey_build_info: () => new Map([[version, 1]]),
      poundkey_requests_open: () => gateway.open,
      poundkey_breaker_open: () => countOpenBreakers(health),
      ...PROCESS_READINGS,
    },
    isListed: (model) => inForce.isListed(model),
  });
  const log = countedLog(metrics, options.log);
  const health: Health = new Health(log);
  const inForce = new InForce(first, opened, health, log);
  await inForce.credentials.refresh();
  const learned = new Learned();
  const known = { health, learned, deadlines, caches: new Caches(), stickiness: new Stickiness() };
  const gateway = gatewayOf(options, { ...known, log, ledger }, () => inForce.settings.log.content);
  const ports: HttpPorts = {
    snapshot: () => inForce.snapshot,
    ...{ gateway, ledger, vault, deadlines, clock, random, log, ...bodyParts(first.server) },
    authenticate: authenticator(opened.world),
    sealer: (accountId) => createSealer(vault, accountId),
    server: first.server,
    draining: () => ending.draining,
    refusing: () => ending.refusing,
  };
  const feed = new LiveFeed({ store, clock });
  const learning = new Learning(store, learned, clock);
  void measureLogged(store, learned, log);
  const wrongTokens = new WrongTokens({ store, clock, log });
  const parts = { inForce, feed, wrongTokens, originOf: await originReader(first.server.trustedProxies) };
  const endUpkeep = await keepUp({
    ...{ store, ledger, learning, credentials: inForce.credentials, wrongTokens, clock, log },
    memory: { open: () => gateway.open, collect },
    keepMs: () => inForce.settings.log.keepMs,
  });
  const app = listeningOr(endUpkeep, () => listen(appOf(ports, options, metrics, parts, known)));
  return {
    port: app.server?.port ?? 0,
    gateway,
    listener: findListener(app),
    providersOn: () => inForce.settings.providers.length,
    reload: (next) => inForce.put({ ...next, server: first.server, store: first.store }),
    async stop() {
      feed.end();
      await drained({ ...endingOf(options), ending, server: app.server, gateway });
      await gateway.settled(SETTLE_MS);
      endUpkeep();
      deadlines.stop();
      await store.close();
    },
  };
}

/** Every event that is logged is counted too. */
function countedLog(metrics: Metrics, log: Log): Log {
  return (event) => {
    metrics.take(event);
    log(event);
  };
}

function bodyParts({ bodyMemoryBytes }: ServerRules) {
  return { bodies: new BodyMemory(bodyMemoryBytes), turns: new BodyTurns(clock) };
}

function endingOf({ noticeMs = NOTICE_MS, isRelieved = false, settings }: GatewayOptions) {
  return { noticeMs, isRelieved, drainMs: settings.server.drainMs };
}

function gatewayOf(
  { opened, fetch = upstreamFetch }: GatewayOptions,
  parts: Pick<GatewayPorts, "log" | "ledger"> & RoutePorts["known"],
  isContentWanted: () => boolean,
): Gateway {
  const { store, contentVault } = opened;
  return new Gateway({
    ...parts,
    contents: { store, vault: contentVault, isWanted: isContentWanted },
    store: opened.store,
    clock,
    random,
    vault: opened.vault,
    fetch,
    reach,
    reachability: new Reachability(parts.deadlines, reach),
    kept: new KeptConnections(),
  });
}

/** Gives up what was begun when the address can't be had. */
function listeningOr<App>(giveUp: () => void, listen: () => App): App {
  try {
    return listen();
  } catch (error) {
    giveUp();
    throw error;
  }
}

interface AppParts {
  readonly inForce: InForce;
  readonly feed: LiveFeed;
  readonly originOf: ReadOrigin;
  readonly wrongTokens: WrongTokens;
}

function appOf(
  ports: HttpPorts,
  options: GatewayOptions,
  metrics: Metrics,
  { inForce, feed, originOf, wrongTokens }: AppParts,
  known: RoutePorts["known"],
) {
  const { opened, configSchema, reusePort } = options;
  const { ledger } = ports;
  const own = () => metrics.sums();
  const { bodies, turns, deadlines, server } = ports;
  const { world } = opened;
  const operator = { world, adminToken: server.adminToken, originOf, wrongTokens, bodies, turns, deadlines };
  const holder = { store: opened.store, ledger, clock, quota: () => inForce.settings.quota };
  return buildApp(ports, reusePort)
    .use(surfaceRoutes(ports))
    .use(responseRoutes(ports))
    .use(modelRoutes(ports))
    .use(routeRoutes({ ...ports, known, store: opened.store }))
    .use(keyRoutes({ ...ports, holderView: (key: GatewayKey) => holderView(holder, key) }))
    .use(
      healthRoutes({
        ...ports,
        storeReady: () => opened.store.ready(),
        checkScraper: (bearer) => checkScraper(opened.world, inForce.settings.metrics.token, bearer),
        metrics: options.shareMetrics?.(own) ?? (() => exposition(own())),
        configSchema,
      }),
    )
    .use(
      adminRoutes({
        ...operator,
        ledger,
        settings: () => inForce.settings,
        version,
        node: opened.store.node,
        contentVault: opened.contentVault,
        learned: () => learnedViews(known.learned),
      }),
    )
    .use(
      providerRoutes(
        operator,
        providerPorts({ inForce, opened, ...known, fetch: options.fetch ?? upstreamFetch }),
      ),
    )
    .use(liveRoutes({ ...operator, feed, clock, draining: ports.draining }))
    .use(playgroundRoutes(operator, ports))
    .use(consoleRoutes(consoleFiles))
    .use(sessionRoutes({ ...operator, version }))
    .use(docsRoutes(docsFiles));
}

function learnedViews(learned: Learned): readonly LearnedView[] {
  return learned.views().map((view) => ({ ...view, length: lengthShown(learned, view.model) }));
}
