// The providers that are on, with how they have been doing lately: as the admin routes show them.
import type { CredentialHealth, ModelHealth, ProviderHealth, Vitals } from "../core/health.ts";
import { instantOrNull } from "./instant.ts";
import type { Listed } from "./list.ts";

interface VitalsView {
  readonly breaker: "closed" | "open" | "half_open";
  readonly error_rate: number | null;
  readonly in_flight: number;
  readonly first_token_ms: { readonly p50: number; readonly p95: number } | null;
  readonly tokens_per_second: number | null;
}

interface ProviderView extends VitalsView {
  readonly name: string;
  readonly dialect: string | null;
  readonly base_url: string;
  readonly credentials: readonly {
    readonly last4: string | null;
    readonly weight: number;
    readonly state: "active" | "resting" | "retired";
    readonly until: string | null;
    readonly reason: string | null;
    readonly in_flight: number;
    readonly error_rate: number | null;
  }[];
  readonly models: readonly (VitalsView & { readonly id: string; readonly asks_again_at: string | null })[];
}

/** All of them on one page: they are as many as the configuration names. */
export function listProviders(health: () => readonly ProviderHealth[]): Listed<ProviderView> {
  return { data: health().map(providerView), next: null };
}

function providerView(provider: ProviderHealth): ProviderView {
  return {
    name: provider.name,
    dialect: provider.dialect,
    base_url: provider.baseUrl,
    ...vitalsView(provider),
    credentials: provider.credentials.map(credentialView),
    models: provider.models.map(modelView),
  };
}

function credentialView({ last4, weight, state, reason, ...rest }: CredentialHealth) {
  return {
    last4,
    weight,
    state,
    until: instantOrNull(rest.untilMs),
    reason,
    in_flight: rest.inFlight,
    error_rate: share(rest.errorRate),
  };
}

function modelView(model: ModelHealth) {
  return { id: model.id, ...vitalsView(model), asks_again_at: instantOrNull(model.asksAgainAtMs) };
}

function vitalsView({ breaker, errorRate, inFlight, firstTokenMs, tokensPerSecond }: Vitals): VitalsView {
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
