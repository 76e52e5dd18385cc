// The health report: every configured provider, its credentials and its models.
import type { CredentialHealth, ModelHealth, ProviderHealth, Vitals } from "../core/health/health.ts";
import { MINUTE_LIMITS, mapLimits } from "../core/limits/limit-table.ts";
import { type ModelCard, readProvider } from "../core/models/card.ts";
import { type Credential, findPosition, identifyCredential, type ProviderSetup } from "../core/settings.ts";
import type { Address } from "./address.ts";
import { computeQuantiles } from "./decay.ts";
import { type Deployment, sumOutcomes } from "./deployment.ts";
import type { Health } from "./health.ts";
import { LEAST_LOAD } from "./rate.ts";
import type { Trouble } from "./trouble.ts";

interface ReportParts {
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
    baseUrl: setup.shownUrl ?? setup.baseUrl,
    ...reportTrouble(health.trouble(setup.name), parts),
    ...summarize(deployments, health.addresses.find(setup.name), nowMs),
    credentials: setup.credentials.map((credential) => reportCredential(setup, credential, asked, parts)),
    models: ids.map((id) => reportModel(id, parts)),
  };
}

/** Times in the report are of the wall's clock. */
function reportTrouble({ sinceMs, last }: Trouble, { nowMs, wallMs }: ReportParts) {
  const toWallMs = (atMs: number) => Math.round(wallMs - (nowMs - atMs));
  return {
    failingSinceMs: sinceMs === null ? null : toWallMs(sinceMs),
    lastFailure: last && { ...last, atMs: toWallMs(last.atMs) },
  };
}

function reportModel(id: string, { health, nowMs, wallMs }: ReportParts): ModelHealth {
  const deployments = listDeployments(health, id);
  const waits = deployments.map((deployment) => deployment.waitForAllMs(nowMs) ?? 0);
  const addressMs = health.addresses.find(readProvider(id))?.waitForAllMs(nowMs) ?? 0;
  const waitMs = Math.max(addressMs, waits.length === 0 ? 0 : Math.min(...waits));
  return {
    id,
    ...summarizeCard(health, id, nowMs),
    asksAgainAtMs: waitMs > 0 ? Math.ceil(wallMs + waitMs) : null,
    absence: health.card(id)?.absence.state ?? null,
  };
}

function reportCredential(
  setup: ProviderSetup,
  credential: Credential,
  asked: readonly string[],
  { health, nowMs, wallMs }: ReportParts,
): CredentialHealth {
  const key = health.findKey(setup.name, credential);
  const deployments = asked.flatMap(
    (id) => health.card(id)?.deployments.get(identifyCredential(credential)) ?? [],
  );
  const restMs = Math.max(0, ...deployments.map((deployment) => deployment.restsUntilMs - nowMs));
  const rest = key?.retired
    ? { state: "retired" as const, reason: key.retired.reason, waitMs: key.waitMs(nowMs) ?? 0 }
    : describeRest(restMs, key?.limits.minuteWaitMs(LEAST_LOAD, nowMs) ?? 0, key?.limits.isFull(LEAST_LOAD));
  return {
    id: credential.id ?? null,
    position: findPosition(setup, credential),
    last4: key?.last4 ?? null,
    weight: credential.weight,
    priceFactor: credential.priceFactor ?? 1,
    ...mapLimits(MINUTE_LIMITS, "property", ({ property }) => credential[property] ?? null),
    state: rest.state,
    untilMs: rest.waitMs === null ? null : Math.ceil(wallMs + rest.waitMs),
    reason: rest.reason,
    calledAtMs: key?.calledMs == null ? null : Math.round(wallMs - (nowMs - key.calledMs)),
    inFlight: key?.inFlight ?? 0,
    errorRate: computeErrorRate(deployments, nowMs),
  };
}

const AT_ITS_LIMIT = "its limit of requests or tokens per minute is used up";
const FULL = "its parallel calls are all under way";
const RESTING = "the provider is limiting requests (429)";

/** Describes a credential that isn't retired by the times for which its provider and its own limits make it wait. */
function describeRest(restMs: number, limitMs: number, isFull = false) {
  const waitMs = Math.max(restMs, limitMs);
  if (restMs > 0) return { state: "resting" as const, reason: RESTING, waitMs };
  if (limitMs > 0) return { state: "resting" as const, reason: AT_ITS_LIMIT, waitMs };
  if (isFull) return { state: "resting" as const, reason: FULL, waitMs: null };
  return { state: "active" as const, reason: null, waitMs: null };
}

function listDeployments(health: Health, id: string): readonly Deployment[] {
  return [...(health.card(id)?.deployments.values() ?? [])];
}

/** Summarizes one model over all of its credentials. */
export function summarizeCard(health: Health, id: string, nowMs: number): Vitals {
  return summarize(listDeployments(health, id), health.addresses.find(readProvider(id)), nowMs);
}

/** The breaker counts as open if it is open for every credential, as one is enough to serve, or for the address. */
function summarize(deployments: readonly Deployment[], address: Address | undefined, nowMs: number): Vitals {
  const states = deployments.map(({ breaker: one }) => one.readState(nowMs));
  const isShut = states.length > 0 && !states.includes("closed");
  const own = !isShut ? "closed" : states.includes("half_open") ? "half_open" : "open";
  const addressState = address?.readState(nowMs) ?? "closed";
  const breaker = addressState === "closed" ? own : addressState;
  const openPayers = [...new Set(deployments.flatMap(({ breaker: one }) => one.listOpenPayers()))];
  const payers = deployments.flatMap(({ speedsBy }) => [...speedsBy].map(([, own]) => own));
  const waits = payers.map(({ firstMs }) => firstMs);
  const speeds = payers.map((own) => own.tokensPerSecond);
  const [p50, p95] = computeQuantiles(waits, [0.5, 0.95], nowMs) ?? [];
  const [tokensPerSecond = null] = computeQuantiles(speeds, [0.5], nowMs) ?? [];
  return {
    breaker,
    openFor: breaker !== "closed" ? "all" : openPayers.length > 0 ? "some" : null,
    openPayers,
    errorRate: computeErrorRate(deployments, nowMs),
    inFlight: deployments.reduce((sum, deployment) => sum + deployment.inFlight, 0),
    firstTokenMs: p50 === undefined || p95 === undefined ? null : { p50, p95 },
    tokensPerSecond,
  };
}

/** Outcomes that have faded below this weight are too few for a rate. */
const OUTCOMES_MIN = 0.05;

function computeErrorRate(deployments: readonly Deployment[], nowMs: number): number | null {
  const { good, bad } = sumOutcomes(deployments, nowMs, null);
  return good + bad > OUTCOMES_MIN ? bad / (good + bad) : null;
}

/** For each model that was called, the number of its credentials with a breaker that is open for all. */
export function countOpenBreakers(health: Health, nowMs: number): ReadonlyMap<string, number> {
  const open = [...health.cards()].map(([id, { deployments }]): readonly [string, number] => {
    const address = health.addresses.find(readProvider(id));
    const isShut = address !== undefined && address.readState(nowMs) !== "closed";
    const isOpen = ({ breaker }: Deployment) => isShut || breaker.readState(nowMs) !== "closed";
    return [id, [...deployments.values()].filter(isOpen).length];
  });
  return new Map(open);
}

/** For each model that was called, the number of payers for whom a breaker is open. */
export function countOpenPayers(health: Health): ReadonlyMap<string, number> {
  return new Map(
    [...health.cards()].map(([id, { deployments }]) => {
      const payers = [...deployments.values()].flatMap(({ breaker }) => breaker.listOpenPayers());
      return [id, new Set(payers).size];
    }),
  );
}

/** For each provider and state, the number of its credentials, as `[provider, state, count]`. */
export function countCredentials(parts: ReportParts): readonly (readonly [string, string, number])[] {
  return parts.providers.flatMap((setup) => {
    const { name, credentials } = reportProvider(setup, { ...parts, cards: [] });
    const counts: Record<CredentialHealth["state"] | "untried", number> = {
      active: 0,
      untried: 0,
      resting: 0,
      retired: 0,
    };
    for (const { state, calledAtMs } of credentials)
      counts[state === "active" && calledAtMs === null ? "untried" : state]++;
    return Object.entries(counts).map(([state, count]) => [name, state, count] as const);
  });
}

/** For each provider, the milliseconds since it began to fail. 0 if its last call succeeded. */
export function measureFailing({ health, providers, nowMs }: ReportParts): ReadonlyMap<string, number> {
  return new Map(
    providers.map(({ name }) => {
      const { sinceMs } = health.trouble(name);
      return [name, sinceMs === null ? 0 : Math.round(nowMs - sinceMs)];
    }),
  );
}
