// Assembles the routes: each group gets the parts of the gateway that it needs.

import { version } from "../../package.json" with { type: "json" };
import { holderView } from "../admin/keys/holder.ts";
import type { LiveFeed } from "../admin/log/live.ts";
import { countPriceChanges } from "../admin/models/price-review.ts";
import type { Sampling } from "../admin/models/sampling.ts";
import { checkScraper } from "../admin/people/token.ts";
import type { WrongTokens } from "../admin/people/wrong-tokens.ts";
import type { ProviderPorts } from "../admin/things/credentials.ts";
import { serveThings } from "../admin/things/things.ts";
import type { GatewayKey } from "../core/keys/key.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Fetch } from "../core/world/world.ts";
import { adminRoutes } from "../http/admin.ts";
import type { WritingParts } from "../http/admin-route.ts";
import { auditRoutes } from "../http/audit/admin-audit.ts";
import { batchRoutes } from "../http/batches/routes.ts";
import { interactionRoutes } from "../http/conversations/interactions.ts";
import { responseRoutes } from "../http/conversations/responses.ts";
import { listAnswers, surfaceRoutes } from "../http/door/surface-routes.ts";
import { problemRoutes } from "../http/events/problems.ts";
import { fileRoutes } from "../http/files/files.ts";
import { keyRoutes } from "../http/keys/key.ts";
import { exportRoutes } from "../http/log/admin-exports.ts";
import { agentTelemetryRoutes } from "../http/log/agent-telemetry.ts";
import { liveRoutes } from "../http/log/live.ts";
import { socketRoutes } from "../http/log/sockets.ts";
import { modelRulesRoutes } from "../http/models/admin-models.ts";
import { priceRoutes } from "../http/models/admin-prices.ts";
import { missingNameRoutes } from "../http/models/missing-names.ts";
import { modelRoutes } from "../http/models/models.ts";
import { playgroundRoutes } from "../http/models/playground.ts";
import { decideForKey, type RoutePorts, routeRoutes } from "../http/models/route.ts";
import { sampleRoutes } from "../http/models/samples.ts";
import { checkoutRoutes } from "../http/money/admin-checkouts.ts";
import { reconciliationRoutes } from "../http/money/admin-reconciliation.ts";
import { stripeHookRoutes } from "../http/money/stripe-hook.ts";
import { deviceAdminRoutes } from "../http/people/admin-devices.ts";
import { directoryRoutes } from "../http/people/admin-directory.ts";
import { memberRoutes } from "../http/people/admin-members.ts";
import { Cookies } from "../http/people/cookies.ts";
import { deviceRoutes } from "../http/people/device.ts";
import { managedSettingsRoutes } from "../http/people/managed-settings.ts";
import { oauthRoutes } from "../http/people/oauth.ts";
import { scimRoutes } from "../http/people/scim.ts";
import { sessionRoutes } from "../http/people/session.ts";
import { signInRoutes } from "../http/people/sign-in.ts";
import type { HttpPorts } from "../http/ports.ts";
import { buildApp } from "../http/serve/app.ts";
import { healthRoutes } from "../http/serve/health.ts";
import { consoleRoutes, docsRoutes } from "../http/serve/pages.ts";
import { placeFiles } from "../http/serve/placed-files.ts";
import { Sockets } from "../http/sockets/sockets.ts";
import { stateFileRoutes } from "../http/state.ts";
import { thingRoutes } from "../http/things.ts";
import type { KeptBatches } from "../jobs/kept-batches.ts";
import type { LearnedModels } from "../learning/learned.ts";
import type { LearningPort } from "../learning/port.ts";
import { ChangeRate } from "../people/change-rate.ts";
import { findPerson } from "../people/member.ts";
import type { SignInParts } from "../people/sign-in.ts";
import { formatMetrics } from "../telemetry/exposition.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Sums } from "../telemetry/sums.ts";
import { makeSendTest } from "../webhooks/test-event.ts";
import { loadConsoleFiles } from "./build/page-files.ts";
import { makeConfigurationRoutes } from "./configuration-routes.ts";
import { countSockets } from "./count-sockets.ts";
import { createDocsParts } from "./docs-parts.ts";
import type { PriceWatch } from "./models/catalogue-watch.ts";
import { viewLearned } from "./models/learning.ts";
import { createFamilyPriced, createMissingParts } from "./models/missing-parts.ts";
import { createPriceParts } from "./models/price-parts.ts";
import { listProviderNames } from "./models/provider-names.ts";
import { createProviderPorts } from "./models/provider-ports.ts";
import type { Directory } from "./oidc/directory.ts";
import { listProblems, listPublicProblems, type ProblemParts } from "./problems.ts";
import { allowLinks } from "./quickstart/link-rules.ts";
import type { LiveConfiguration } from "./start/live-configuration.ts";
import type { OpenedStore } from "./start/open-store.ts";
import { makeStatePorts } from "./state-files.ts";
import { listDirectRoutes, listToolRoutes } from "./tools/routes.ts";
import type { Tools } from "./tools/tools.ts";
import type { Measures } from "./upkeep/measures.ts";
import { createPayments } from "./upkeep/payments.ts";
import { clock, random } from "./world.ts";

interface RouteParts extends Pick<ProblemParts, "watch" | "configuration" | "troubles" | "readBusySince"> {
  readonly prices: Pick<PriceWatch, "waiting" | "last" | "list">;
  readonly ports: HttpPorts;
  readonly tools: Tools;
  readonly batches: KeptBatches;
  /** Finds a key as it may be used now, with what binds its person. */
  readonly findKey: (id: string) => Promise<GatewayKey>;
  /** The lines of a batch that this process has in flight. */
  readonly countRunning: (batchId: string) => number;
  readonly opened: OpenedStore;
  readonly live: LiveConfiguration;
  readonly feed: LiveFeed;
  readonly wrongTokens: WrongTokens;
  readonly known: RoutePorts["known"];
  readonly learned: LearnedModels;
  readonly learning: LearningPort;
  readonly sampling: Sampling;
  readonly people: SignInParts;
  readonly directory: Directory;
  readonly fetch: Fetch;
  readonly configSchema: () => object;
  /** True for a quick start. */
  readonly isQuickstart?: boolean;
  /** True if several processes share the port. */
  readonly reusePort: boolean;
  readonly metrics: Metrics;
  readonly writeRefusals: () => Promise<void>;
  readonly measures: Measures;
  /** Takes a reader of this process's metrics. The result reads the sum of all processes on the port, as text. */
  readonly shareMetrics?: (own: () => Sums) => () => Promise<string>;
}

export function composeRoutes(parts: RouteParts) {
  const { ports, opened, live, batches, countRunning, findKey } = parts;
  const { basePath } = ports.server;
  const operator = createOperatorParts(parts);
  const keysExpireMs = () => live.settings.signIn?.members.keysExpireMs ?? null;
  const exports = createExportParts(parts, keysExpireMs);
  const priceChanges = () => countPriceChanges(parts.prices.last);
  const routePorts = { ...ports, known: parts.known, learn: parts.learning.score, store: opened.store };
  const decide = (request: Request, key: GatewayKey) => decideForKey(routePorts, request, key);
  const answers = listAnswers(ports);
  const app = buildApp(ports, parts.reusePort, listDirectRoutes(answers, parts.tools), new Sockets(ports));
  const providers = createProviderPorts({ live, opened, ...parts.known, fetch: parts.fetch });
  const payments = createPayments({ ...parts, log: ports.log });
  return app
    .use(surfaceRoutes(answers))
    .use(listKeptRoutes(ports))
    .use(batchRoutes({ ...ports, batches }, operator, { store: opened.store, clock, countRunning }))
    .use(listToolRoutes(parts, operator))
    .use(modelRoutes(ports))
    .use(routeRoutes(routePorts))
    .use(keyRoutes(createKeyPorts(parts)))
    .use(agentTelemetryRoutes(ports))
    .use(stateRoutes(parts, operator))
    .use(adminRoutes(createAdminPorts(parts, operator)))
    .use(serveThings(createThingParts(parts, providers)).map((thing) => thingRoutes(operator, thing)))
    .use(auditRoutes({ ...operator, settings: () => live.settings }))
    .use(exportRoutes(operator, exports))
    .use(reconciliationRoutes(operator, { ...exports, priceChanges }))
    .use(problemRoutes(operator, () => listProblems({ ...parts, health: providers.health })))
    .use(modelRulesRoutes(operator, createModelRulesParts(parts)))
    .use(priceRoutes(operator, createPriceParts(parts)))
    .use(missingNameRoutes(operator, createMissingParts(parts), createFamilyPriced(parts)))
    .use(memberRoutes(operator, createMemberPorts(parts, keysExpireMs)))
    .use(directoryRoutes(operator, parts.directory.parts, parts.directory.seen))
    .use(scimRoutes({ operator, directory: parts.directory.parts, seen: parts.directory.seen }))
    .use(deviceAdminRoutes(operator, { ...opened.world, log: parts.people.log }))
    .use(checkoutRoutes(operator, payments.checkouts))
    .use(stripeHookRoutes(ports, payments.hook))
    .use(liveRoutes({ ...operator, ...createLiveParts(parts) }))
    .use(playgroundRoutes(operator, ports, { decide, findKey }))
    .use(sampleRoutes(operator, parts.sampling))
    .use(stateFileRoutes(operator, makeStatePorts(createAliasParts(parts), live)))
    .use(consoleRoutes(placeFiles(loadConsoleFiles, basePath)))
    .use(sessionRoutes({ ...operator, ...allowLinks(parts), version, dayRules: () => live.settings.quota }))
    .use(signInRoutes({ operator, people: parts.people }))
    .use(managedSettingsRoutes(createPolicyPorts(parts)))
    .use(oauthRoutes({ operator, people: parts.people }))
    .use(deviceRoutes({ operator, people: parts.people, settings: () => live.settings }))
    .use(docsRoutes(createDocsParts(ports, () => app.routes)));
}

function createKeyPorts({ ports, opened, live }: RouteParts) {
  const holder = {
    store: opened.store,
    ledger: ports.ledger,
    clock,
    quota: () => live.settings.quota,
    tools: () => live.settings.ownerLimits.toolRights,
  };
  return { ...ports, holderView: (key: GatewayKey) => holderView(holder, key) };
}

function createMemberPorts({ ports, opened, live }: RouteParts, keysExpireMs: () => number | null) {
  const hasDirectory = () => live.settings.signIn?.directory !== undefined;
  const dayRules = () => live.settings.quota;
  return { ...opened.world, ledger: ports.ledger, keysExpireMs, hasDirectory, dayRules };
}

/** The routes of what is kept for clients beyond their requests. */
function listKeptRoutes(ports: HttpPorts) {
  return [responseRoutes(ports), fileRoutes(ports), interactionRoutes(ports)];
}

function createLiveParts({ ports: { draining, server }, feed }: RouteParts) {
  return { feed, clock, draining, idleSeconds: server.idleSeconds };
}

function createOperatorParts({ ports, opened, wrongTokens, people }: RouteParts): WritingParts {
  const { bodies, turns, deadlines, readAddress, readOrigin, server } = ports;
  const { adminToken, adminTokenFrom } = server;
  return {
    world: opened.world,
    adminToken,
    adminTokenFrom,
    readAddress,
    readOrigin,
    wrongTokens,
    bodies,
    turns,
    deadlines,
    changeRate: new ChangeRate(),
    cookies: new Cookies({ ...server, clock }),
    publicUrl: server.publicUrl,
    findPerson: (session) => findPerson(people, session, people.rules()),
  };
}

function createPolicyPorts({ ports, opened, live }: RouteParts) {
  return { ...ports, store: opened.store, policies: () => live.settings.signIn?.agents.policies ?? [] };
}

function createHealthPorts(parts: RouteParts) {
  const { ports, opened, live, metrics, shareMetrics, configSchema, watch } = parts;
  const own = () => metrics.sums();
  return {
    ...ports,
    storeReady: () => watch.store.ready(),
    problems: () => listPublicProblems({ ...parts, files: ports.files, takesFiles: watchFileRules(live) }),
    guardVersion: () => live.guardVersions.own,
    checkScraper: (bearer: string | undefined) =>
      checkScraper(opened.world, live.settings.metrics.token, bearer),
    metrics: shareMetrics?.(own) ?? (() => formatMetrics(own())),
    configSchema,
  };
}

function watchFileRules(live: Pick<LiveConfiguration, "settings">) {
  return () => live.settings.batches.isOn && live.settings.files.accountBytesMax > 0;
}

function stateRoutes(parts: RouteParts, operator: WritingParts) {
  const health = createHealthPorts(parts);
  const sockets = socketRoutes(operator, () => countSockets(health.metrics));
  return [healthRoutes(health), sockets, ...makeConfigurationRoutes(operator, parts)];
}

function createExportParts({ ports, opened, live }: RouteParts, keysExpireMs: () => number | null) {
  return {
    ...opened.world,
    log: ports.log,
    dayRules: () => live.settings.quota,
    keepMs: () => live.settings.log.keepMs,
    keysExpireMs,
    providerNames: () => listProviderNames(live.configured.providers),
  };
}

function createAdminPorts(
  { ports, opened, live, learned, writeRefusals, prices }: RouteParts,
  operator: WritingParts,
) {
  return {
    ...operator,
    ledger: ports.ledger,
    settings: () => live.settings,
    catalogue: () => live.snapshot.catalogue,
    version,
    node: opened.store.node,
    priceChanges: () => prices.waiting,
    contentVault: opened.contentVault,
    learned: () => viewLearned(learned),
    providerNames: () => listProviderNames(live.configured.providers),
    writeRefusals,
  };
}

function createModelRulesParts({ opened, live, known }: RouteParts) {
  return {
    store: opened.store,
    configured: () => live.configured.overlay,
    findModel: (id: string) => live.snapshot.catalogue.list().find((card) => card.id === id),
    findDialects: ({ provider, dialects }: ModelCard) =>
      dialects ?? (live.snapshot.upstreams.get(provider)?.dialects ?? []).map(({ name }) => name),
    lessons: (id: string) => known.health.refusals.report(id),
    refusedFields: (id: string) => known.health.refusedFields.list(id),
    refresh: () => live.modelRules.refresh(),
  };
}

function createThingParts(parts: RouteParts, providers: ProviderPorts) {
  const { ports, opened, live, fetch } = parts;
  const settings = () => live.settings;
  const rules = {
    settings,
    dayRules: () => live.settings.quota,
    catalogue: () => live.snapshot.catalogue,
    aliasNames: { find: (name: string) => live.snapshot.catalogue.findAlias(name) },
  };
  return {
    world: opened.world,
    repeats: { ...opened.world, vault: opened.vault, clock },
    owners: { ...opened.world, ledger: ports.ledger, ...rules },
    aliases: createAliasParts(parts),
    providers,
    endpoints: () => live.settings.webhooks,
    sendTest: makeSendTest({ clock, random, fetch, version }),
    files: ports.files,
  };
}

function createAliasParts({ opened, live }: RouteParts) {
  return {
    store: opened.store,
    clock,
    configured: () => live.configured.aliases,
    catalogue: () => live.snapshot.catalogue,
    refresh: () => live.aliases.refresh(),
  };
}
