// Assembles the routes: each group gets the parts of the gateway that it needs.
import { version } from "../../package.json" with { type: "json" };
import { holderView } from "../admin/holder.ts";
import type { LiveFeed } from "../admin/live.ts";
import type { Sampling } from "../admin/sampling.ts";
import { checkScraper } from "../admin/token.ts";
import type { WrongTokens } from "../admin/wrong-tokens.ts";
import type { GatewayKey } from "../core/key.ts";
import type { Fetch } from "../core/world.ts";
import { adminRoutes } from "../http/admin.ts";
import { aliasRoutes } from "../http/admin-aliases.ts";
import { auditRoutes } from "../http/admin-audit.ts";
import { checkoutRoutes } from "../http/admin-checkouts.ts";
import { deviceAdminRoutes } from "../http/admin-devices.ts";
import { exportRoutes } from "../http/admin-exports.ts";
import { keyAdminRoutes } from "../http/admin-keys.ts";
import { limitRequestRoutes } from "../http/admin-limit-requests.ts";
import { memberRoutes } from "../http/admin-members.ts";
import { namedRoutes } from "../http/admin-named.ts";
import { providerRoutes } from "../http/admin-providers.ts";
import { reconciliationRoutes } from "../http/admin-reconciliation.ts";
import type { WritingParts } from "../http/admin-route.ts";
import { tokenRoutes } from "../http/admin-tokens.ts";
import { webhookRoutes } from "../http/admin-webhooks.ts";
import { agentTelemetryRoutes } from "../http/agent-telemetry.ts";
import { buildApp } from "../http/app.ts";
import { deviceRoutes } from "../http/device.ts";
import { healthRoutes } from "../http/health.ts";
import { keyRoutes } from "../http/key.ts";
import { liveRoutes } from "../http/live.ts";
import { managedSettingsRoutes } from "../http/managed-settings.ts";
import { modelRoutes } from "../http/models.ts";
import { oauthRoutes } from "../http/oauth.ts";
import { consoleRoutes, docsRoutes } from "../http/pages.ts";
import { playgroundRoutes } from "../http/playground.ts";
import type { HttpPorts } from "../http/ports.ts";
import { problemRoutes } from "../http/problems.ts";
import { responseRoutes } from "../http/responses.ts";
import { decideForKey, type RoutePorts, routeRoutes } from "../http/route.ts";
import { sampleRoutes } from "../http/samples.ts";
import { sessionRoutes } from "../http/session.ts";
import { signInRoutes } from "../http/sign-in.ts";
import { stripeHookRoutes } from "../http/stripe-hook.ts";
import { directRoutes, listAnswers, surfaceRoutes } from "../http/surface-routes.ts";
import type { Learned } from "../learning/learned.ts";
import type { LearningPort } from "../learning/port.ts";
import type { PaymentTroubles } from "../payments/troubles.ts";
import { findPerson } from "../people/member.ts";
import type { SignInParts } from "../people/sign-in.ts";
import { formatMetrics } from "../telemetry/exposition.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Sums } from "../telemetry/sums.ts";
import { viewLearned } from "./learning.ts";
import type { LiveConfiguration } from "./live-configuration.ts";
import type { OpenedStore } from "./open-store.ts";
import { loadConsoleFiles, loadDocsFiles } from "./page-files.ts";
import { createPayments } from "./payments.ts";
import { type ConfigurationState, listProblems, listPublicProblems } from "./problems.ts";
import { listProviderNames } from "./provider-names.ts";
import { createProviderPorts } from "./provider-ports.ts";
import type { StoreWatch } from "./store-watch.ts";
import { clock } from "./world.ts";

interface RouteParts {
  readonly ports: HttpPorts;
  readonly opened: OpenedStore;
  readonly live: LiveConfiguration;
  readonly feed: LiveFeed;
  readonly wrongTokens: WrongTokens;
  readonly known: RoutePorts["known"];
  readonly learned: Learned;
  readonly learning: LearningPort;
  readonly sampling: Sampling;
  readonly people: SignInParts;
  readonly fetch: Fetch;
  readonly configSchema: () => object;
  /** True if several processes share the port. */
  readonly reusePort: boolean;
  readonly metrics: Metrics;
  readonly writeRefusals: () => Promise<void>;
  readonly watch: StoreWatch;
  readonly configuration: ConfigurationState;
  readonly troubles: PaymentTroubles;
  /** Takes a reader of this process's metrics. The result reads the sum of all processes on the port, as text. */
  readonly shareMetrics?: (own: () => Sums) => () => Promise<string>;
}

export function composeRoutes(parts: RouteParts) {
  const { ports, opened, live } = parts;
  const operator = createOperatorParts(parts);
  const holder = { store: opened.store, ledger: ports.ledger, clock, quota: () => live.settings.quota };
  const keysExpireMs = () => live.settings.signIn?.members.keysExpireMs ?? null;
  const exports = createExportParts(parts, keysExpireMs);
  const routePorts = { ...ports, known: parts.known, learn: parts.learning.score, store: opened.store };
  const answers = listAnswers(ports);
  const app = buildApp(ports, parts.reusePort, directRoutes(answers));
  const providers = createProviderPorts({ live, opened, ...parts.known, fetch: parts.fetch });
  const payments = createPayments({ ...parts, log: ports.log });
  return app
    .use(surfaceRoutes(answers))
    .use(responseRoutes(ports))
    .use(modelRoutes(ports))
    .use(routeRoutes(routePorts))
    .use(keyRoutes({ ...ports, holderView: (key: GatewayKey) => holderView(holder, key) }))
    .use(agentTelemetryRoutes(ports))
    .use(healthRoutes(createHealthPorts(parts)))
    .use(adminRoutes(createAdminPorts(parts, operator)))
    .use(keyAdminRoutes(createAdminPorts(parts, operator)))
    .use(tokenRoutes(operator))
    .use(auditRoutes({ ...operator, settings: () => live.settings }))
    .use(exportRoutes(operator, exports))
    .use(reconciliationRoutes(operator, exports))
    .use(webhookRoutes({ ...operator, endpoints: () => live.settings.webhooks }))
    .use(namedRoutes(createAdminPorts(parts, operator)))
    .use(providerRoutes(operator, providers))
    .use(problemRoutes(operator, () => listProblems({ ...parts, health: providers.health })))
    .use(aliasRoutes(operator, createAliasParts(parts)))
    .use(memberRoutes(operator, { ...opened.world, ledger: ports.ledger, keysExpireMs }))
    .use(limitRequestRoutes(operator))
    .use(deviceAdminRoutes(operator, { ...opened.world, log: parts.people.log }))
    .use(checkoutRoutes(operator, payments.checkouts))
    .use(stripeHookRoutes(ports, payments.hook))
    .use(liveRoutes({ ...operator, feed: parts.feed, clock, draining: ports.draining }))
    .use(playgroundRoutes(operator, ports, (request, key) => decideForKey(routePorts, request, key)))
    .use(sampleRoutes(operator, parts.sampling))
    .use(consoleRoutes(loadConsoleFiles))
    .use(sessionRoutes({ ...operator, version, dayRules: () => live.settings.quota }))
    .use(signInRoutes({ operator, people: parts.people }))
    .use(
      managedSettingsRoutes({
        ...ports,
        store: opened.store,
        policies: () => live.settings.signIn?.agents.policies ?? [],
      }),
    )
    .use(oauthRoutes({ operator, people: parts.people }))
    .use(deviceRoutes({ operator, people: parts.people, settings: () => live.settings }))
    .use(docsRoutes(loadDocsFiles, () => app.routes));
}

function createOperatorParts({ ports, opened, wrongTokens, people }: RouteParts): WritingParts {
  const { bodies, turns, deadlines, readOrigin, server } = ports;
  const { adminToken, adminTokenFrom } = server;
  return {
    world: opened.world,
    adminToken,
    adminTokenFrom,
    readOrigin,
    wrongTokens,
    bodies,
    turns,
    deadlines,
    findPerson: (session) => findPerson(people, session, people.rules()),
  };
}

function createHealthPorts(parts: RouteParts) {
  const { ports, opened, live, metrics, shareMetrics, configSchema, watch } = parts;
  const own = () => metrics.sums();
  return {
    ...ports,
    storeReady: () => watch.store.ready(),
    problems: () => listPublicProblems(parts),
    checkScraper: (bearer: string | undefined) =>
      checkScraper(opened.world, live.settings.metrics.token, bearer),
    metrics: shareMetrics?.(own) ?? (() => formatMetrics(own())),
    configSchema,
  };
}

function createExportParts({ ports, opened, live }: RouteParts, keysExpireMs: () => number | null) {
  return {
    ...opened.world,
    log: ports.log,
    dayRules: () => live.settings.quota,
    keepMs: () => live.settings.log.keepMs,
    keysExpireMs,
    providerNames: () => listProviderNames(live.settings.providers),
  };
}

function createAdminPorts(
  { ports, opened, live, learned, writeRefusals }: RouteParts,
  operator: WritingParts,
) {
  return {
    ...operator,
    ledger: ports.ledger,
    settings: () => live.settings,
    catalogue: () => live.snapshot.catalogue,
    version,
    node: opened.store.node,
    contentVault: opened.contentVault,
    vault: opened.vault,
    learned: () => viewLearned(learned),
    providerNames: () => listProviderNames(live.settings.providers),
    writeRefusals,
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
