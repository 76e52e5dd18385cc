// The providers, on or off, with how they have been doing lately and their credentials: as the admin routes show them.
import { Fault } from "../core/fault.ts";
import type { CredentialHealth, ModelHealth, ProviderHealth, Vitals } from "../core/health.ts";
import { type AddedCredential, CONFIGURED } from "./credentials.ts";
import { optional, readFields, readOption } from "./input.ts";
import { instantOrNull } from "./instant.ts";
import type { Listed } from "./list.ts";

export interface ProviderParts {
  /** Those that are on. */
  readonly health: () => readonly ProviderHealth[];
  /** Every provider that is known, on or off. */
  readonly known: readonly { readonly name: string; readonly baseUrl: string }[];
  readonly added: () => readonly AddedCredential[];
}

/** Four characters of a shorter secret would tell too much. */
const SHOWN_CHARACTERS_MIN = 12;
const NO_VITALS: Vitals = {
  breaker: "closed",
  errorRate: null,
  inFlight: 0,
  firstTokenMs: null,
  tokensPerSecond: null,
};

/** All that are on, on one page; with `all=true` also those that are known and off. */
export function listProviders(parts: ProviderParts, query: unknown): Listed<ProviderView> {
  const isAll = optional(readFields(query, ["all"]), "all", readOption(["true", "false"])) === "true";
  const on = parts.health().map((provider) => providerView(provider, parts.added()));
  const off = isAll ? offOf(parts) : [];
  return { data: [...on, ...off], next: null };
}

/** One provider, on or off. */
export function getProvider(parts: ProviderParts, name: string): ProviderView {
  const { data } = listProviders(parts, { all: "true" });
  const found = data.find((one) => one.name === name);
  if (found) return found;
  throw new Fault("not_found", "There is no provider of that name.");
}

function offOf({ health, known, added }: ProviderParts): readonly ProviderView[] {
  const on = new Set(health().map(({ name }) => name));
  return known
    .filter(({ name }) => !on.has(name))
    .map(({ name, baseUrl }) => ({
      name,
      on: false,
      dialect: null,
      base_url: baseUrl,
      ...vitalsView(NO_VITALS),
      credentials: added()
        .filter(({ provider }) => provider === name)
        .map(idleView),
      models: [],
    }));
}

function providerView(provider: ProviderHealth, added: readonly AddedCredential[]) {
  let configured = 0;
  const used = provider.credentials.map((one) =>
    credentialView(one, one.id ?? `${CONFIGURED}${++configured}`, one.id === null ? "configured" : "stored"),
  );
  const idle = added.filter(
    ({ provider: name, id }) => name === provider.name && !used.some((one) => one.id === id),
  );
  return {
    name: provider.name,
    on: true,
    dialect: provider.dialect,
    base_url: provider.baseUrl,
    ...vitalsView(provider),
    credentials: [...used, ...idle.map(idleView)],
    models: provider.models.map(modelView),
  };
}
export type ProviderView = ReturnType<typeof providerView>;

function credentialView(credential: CredentialHealth, id: string, source: "stored" | "configured") {
  const { last4, weight, requestsPerMinute, tokensPerMinute } = credential;
  const { state, reason, untilMs, inFlight, errorRate } = credential;
  return {
    id,
    source,
    enabled: true,
    last4,
    weight,
    requests_per_minute: requestsPerMinute,
    tokens_per_minute: tokensPerMinute,
    state: shownState(state),
    until: instantOrNull(untilMs),
    reason,
    in_flight: inFlight,
    error_rate: share(errorRate),
  };
}

function shownState(state: CredentialHealth["state"]): CredentialHealth["state"] | "disabled" {
  return state;
}

/** One that is not in use: switched off, or the configuration has the same key. */
function idleView(credential: AddedCredential): ReturnType<typeof credentialView> {
  const { id, secret, weight, requestsPerMinute, tokensPerMinute, enabled } = credential;
  return {
    id,
    source: "stored",
    enabled,
    last4: secret.length >= SHOWN_CHARACTERS_MIN ? secret.slice(-4) : null,
    weight,
    requests_per_minute: requestsPerMinute,
    tokens_per_minute: tokensPerMinute,
    state: enabled ? "active" : "disabled",
    until: null,
    reason: null,
    in_flight: 0,
    error_rate: null,
  };
}

function modelView(model: ModelHealth) {
  return { id: model.id, ...vitalsView(model), asks_again_at: instantOrNull(model.asksAgainAtMs) };
}

function vitalsView({ breaker, errorRate, inFlight, firstTokenMs, tokensPerSecond }: Vitals) {
  return {
    breaker,
    error_rate: share(errorRate),
    in_flight: inFlight,
    first_token_ms: firstTokenMs && {
      p50: Math.round(firstTokenMs.p50),
      p95: Math.round(firstTokenMs.p95),
    },
    tokens_per_second: tokensPerSecond === null ? null : Math.round(tokensPerSecond),
  };
}

function share(rate: number | null): number | null {
  return rate === null ? null : Math.round(rate * 1000) / 1000;
}
