// Health as it is shown: every provider that is on, its credentials and its models.
import type { ModelCard } from "../core/card.ts";
import type { CredentialHealth, ModelHealth, ProviderHealth, Vitals } from "../core/health.ts";
import type { Credential, ProviderSetup } from "../core/settings.ts";
import type { Address } from "./address.ts";
import { quantilesOf } from "./decay.ts";
import type { Deployment } from "./deployment.ts";
import type { Health } from "./health.ts";

export interface ReportParts {
  readonly health: Health;
  readonly providers: readonly ProviderSetup[];
  readonly cards: readonly ModelCard[];
  /** On the monotonic clock, and in Unix milliseconds: the same moment. */
  readonly nowMs: number;
  readonly wallMs: number;
}

export function reportOf(parts: ReportParts): readonly ProviderHealth[] {
  return parts.providers.map((setup) => providerOf(setup, parts));
}

function providerOf(setup: ProviderSetup, parts: ReportParts): ProviderHealth {
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
    credentials: setup.credentials.map((credential) => credentialOf(setup, credential, asked, parts)),
    models: ids.map((id) => modelOf(id, parts)),
  };
}

function modelOf(id: string, { health, nowMs, wallMs }: ReportParts): ModelHealth {
  const deployments = listDeployments(health, id);
  const waits = deployments.map((deployment) => deployment.waitMs(nowMs) ?? 0);
  const addressMs = health.address(parseProvider(id))?.breaker.waitMs(nowMs) ?? 0;
  const waitMs = Math.max(addressMs, waits.length === 0 ? 0 : Math.min(...waits));
  return {
    id,
    ...vitalsOfCard(health, id, nowMs),
    asksAgainAtMs: waitMs > 0 ? Math.ceil(wallMs + waitMs) : null,
  };
}

function credentialOf(
  { name }: ProviderSetup,
  credential: Credential,
  asked: readonly string[],
  { health, nowMs, wallMs }: ReportParts,
): CredentialHealth {
  const key = health.keyOf(name, credential);
  const deployments = asked.flatMap((id) => health.card(id)?.deployments.get(credential.secret ?? "") ?? []);
  const restMs = Math.max(0, ...deployments.map((deployment) => deployment.restsUntilMs - nowMs));
  const retired = key?.retired ?? null;
  const waitMs = retired ? (key?.waitMs(nowMs) ?? 0) : restMs;
  return {
    id: credential.id ?? null,
    last4: key?.last4 ?? null,
    weight: credential.weight,
    state: retired ? "retired" : restMs > 0 ? "resting" : "active",
    untilMs: retired || restMs > 0 ? Math.ceil(wallMs + waitMs) : null,
    reason: retired?.reason ?? (restMs > 0 ? RESTING : null),
    inFlight: key?.inFlight ?? 0,
    errorRate: computeErrorRate(deployments, nowMs),
  };
}

const RESTING = "the provider refuses requests for load (429)";

function parseProvider(id: string): string {
  return id.slice(0, id.indexOf("#"));
}

function listDeployments(health: Health, id: string): readonly Deployment[] {
  return [...(health.card(id)?.deployments.values() ?? [])];
}

/** One model's, over all of its credentials: for whoever chooses among models. */
export function vitalsOfCard(health: Health, id: string, nowMs: number): Vitals {
  return summarize(listDeployments(health, id), health.address(parseProvider(id)), nowMs);
}

/** It counts as open when it is so by every credential: one that is asked is enough to serve. And when its address is. */
function summarize(deployments: readonly Deployment[], address: Address | undefined, nowMs: number): Vitals {
  const states = deployments.map(({ breaker }) => breaker.state);
  const isShut = states.length > 0 && !states.includes("closed");
  const own = !isShut ? "closed" : states.includes("half_open") ? "half_open" : "open";
  const breaker = address?.breaker.isOpen ? address.breaker.state : own;
  const first = quantilesOf(
    deployments.map((deployment) => deployment.firstMs),
    [0.5, 0.95],
    nowMs,
  );
  const speed = quantilesOf(
    deployments.map((deployment) => deployment.tokensPerSecond),
    [0.5],
    nowMs,
  );
  const [p50, p95] = first ?? [];
  return {
    breaker,
    errorRate: computeErrorRate(deployments, nowMs),
    inFlight: deployments.reduce((sum, deployment) => sum + deployment.inFlight, 0),
    firstTokenMs: p50 === undefined || p95 === undefined ? null : { p50, p95 },
    tokensPerSecond: speed?.[0] ?? null,
  };
}

/** A weight that has faded below this says nothing. */
const OUTCOMES_MIN = 0.05;

function computeErrorRate(deployments: readonly Deployment[], nowMs: number): number | null {
  const outcomes = deployments.map((deployment) => deployment.outcomes(nowMs));
  const bad = outcomes.reduce((sum, one) => sum + one.bad, 0);
  const all = bad + outcomes.reduce((sum, one) => sum + one.good, 0);
  return all > OUTCOMES_MIN ? bad / all : null;
}

/** For each model that was asked: by how many of its credentials it isn't asked now. */
export function openBreakers(health: Health): ReadonlyMap<string, number> {
  const open = [...health.cards()].map(([id, { deployments }]): readonly [string, number] => {
    const isShut = health.address(parseProvider(id))?.breaker.isOpen === true;
    return [id, [...deployments.values()].filter(({ breaker }) => isShut || breaker.isOpen).length];
  });
  return new Map(open);
}
