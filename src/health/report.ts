// The health report: every configured provider, its credentials and its models.
import type { ModelCard } from "../core/card.ts";
import type { CredentialHealth, ModelHealth, ProviderHealth, Vitals } from "../core/health.ts";
import type { Credential, ProviderSetup } from "../core/settings.ts";
import type { Address } from "./address.ts";
import { computeQuantiles, type FadingValues } from "./decay.ts";
import type { Deployment } from "./deployment.ts";
import type { Health } from "./health.ts";
import { LEAST_LOAD } from "./rate.ts";

export interface ReportParts {
  readonly health: Health;
  readonly providers: readonly ProviderSetup[];
  readonly cards: readonly ModelCard[];
  /** The same moment, on the monotonic clock and in Unix milliseconds. */
  readonly nowMs: number;
  readonly wallMs: number;
}

export function buildReport(parts: ReportParts): readonly ProviderHealth[] {
  return parts.providers.map((setup) => reportProvider(setup, parts));
}

function reportProvider(setup: ProviderSetup, parts: ReportParts): ProviderHealth {
  const { health, nowMs } = parts;
  const prefix = `${setup.name}#`;
  const listed = parts.cards.filter(({ provider }) => provider === setup.name).map(({ id }) => id);
  const asked = [...health.cards()].map(([id]) => id).filter((id) => id.startsWith(prefix));
  const ids = [...new Set([...listed, ...asked])];
  const deployments = asked.flatMap((id) => listDeployments(health, id));
  return {
    name: setup.name,
    dialect: setup.dialect,
    baseUrl: setup.baseUrl,
    ...summarize(deployments, health.address(setup.name), nowMs),
    credentials: setup.credentials.map((credential) => reportCredential(setup, credential, asked, parts)),
    models: ids.map((id) => reportModel(id, parts)),
  };
}

function reportModel(id: string, { health, nowMs, wallMs }: ReportParts): ModelHealth {
  const deployments = listDeployments(health, id);
  const waits = deployments.map((deployment) => deployment.waitMs(nowMs) ?? 0);
  const addressMs = health.address(parseProvider(id))?.breaker.waitMs(nowMs) ?? 0;
  const waitMs = Math.max(addressMs, waits.length === 0 ? 0 : Math.min(...waits));
  return {
    id,
    ...summarizeCard(health, id, nowMs),
    asksAgainAtMs: waitMs > 0 ? Math.ceil(wallMs + waitMs) : null,
  };
}

function reportCredential(
  { name }: ProviderSetup,
  credential: Credential,
  asked: readonly string[],
  { health, nowMs, wallMs }: ReportParts,
): CredentialHealth {
  const key = health.findKey(name, credential);
  const deployments = asked.flatMap((id) => health.card(id)?.deployments.get(credential.secret ?? "") ?? []);
  const restMs = Math.max(0, ...deployments.map((deployment) => deployment.restsUntilMs - nowMs));
  const retired = key?.retired ?? null;
  const limitMs = key?.limits.waitMs(LEAST_LOAD, nowMs) ?? 0;
  const isResting = restMs > 0 || limitMs > 0;
  const waitMs = retired ? (key?.waitMs(nowMs) ?? 0) : Math.max(restMs, limitMs);
  return {
    id: credential.id ?? null,
    last4: key?.last4 ?? null,
    weight: credential.weight,
    requestsPerMinute: credential.requestsPerMinute ?? null,
    tokensPerMinute: credential.tokensPerMinute ?? null,
    state: retired ? "retired" : isResting ? "resting" : "active",
    untilMs: retired || isResting ? Math.ceil(wallMs + waitMs) : null,
    reason: retired?.reason ?? (restMs > 0 ? RESTING : limitMs > 0 ? AT_ITS_LIMIT : null),
    inFlight: key?.inFlight ?? 0,
    errorRate: computeErrorRate(deployments, nowMs),
  };
}

const AT_ITS_LIMIT = "its limit of requests or tokens per minute is used up";
const RESTING = "the provider is limiting requests (429)";

function parseProvider(id: string): string {
  return id.slice(0, id.indexOf("#"));
}

function listDeployments(health: Health, id: string): readonly Deployment[] {
  return [...(health.card(id)?.deployments.values() ?? [])];
}

/** Summarizes one model over all of its credentials. */
export function summarizeCard(health: Health, id: string, nowMs: number): Vitals {
  return summarize(listDeployments(health, id), health.address(parseProvider(id)), nowMs);
}

/** The breaker counts as open if it is open for every credential, as one is enough to serve, or for the address. */
function summarize(deployments: readonly Deployment[], address: Address | undefined, nowMs: number): Vitals {
  const states = deployments.map(({ breaker }) => breaker.state);
  const isShut = states.length > 0 && !states.includes("closed");
  const own = !isShut ? "closed" : states.includes("half_open") ? "half_open" : "open";
  const breaker = address?.breaker.isOpen ? address.breaker.state : own;
  const over = (values: readonly FadingValues[], shares: readonly number[]) =>
    computeQuantiles(values, shares, nowMs) ?? [];
  const [p50, p95] = over(
    deployments.map(({ firstMs }) => firstMs),
    [0.5, 0.95],
  );
  const [tokensPerSecond = null] = over(
    deployments.map((one) => one.tokensPerSecond),
    [0.5],
  );
  return {
    breaker,
    errorRate: computeErrorRate(deployments, nowMs),
    inFlight: deployments.reduce((sum, deployment) => sum + deployment.inFlight, 0),
    firstTokenMs: p50 === undefined || p95 === undefined ? null : { p50, p95 },
    tokensPerSecond,
  };
}

/** Outcomes that have faded below this weight are too few for a rate. */
const OUTCOMES_MIN = 0.05;

function computeErrorRate(deployments: readonly Deployment[], nowMs: number): number | null {
  const outcomes = deployments.map((deployment) => deployment.countOutcomes(nowMs));
  const bad = outcomes.reduce((sum, one) => sum + one.bad, 0);
  const all = bad + outcomes.reduce((sum, one) => sum + one.good, 0);
  return all > OUTCOMES_MIN ? bad / all : null;
}

/** For each model that was called, the number of its credentials with an open breaker. */
export function countOpenBreakers(health: Health): ReadonlyMap<string, number> {
  const open = [...health.cards()].map(([id, { deployments }]): readonly [string, number] => {
    const isShut = health.address(parseProvider(id))?.breaker.isOpen === true;
    return [id, [...deployments.values()].filter(({ breaker }) => isShut || breaker.isOpen).length];
  });
  return new Map(open);
}
