// The configuration as the console shows it: every card of the catalogue, and the current rules, without secrets.

import type { Static } from "@sinclair/typebox";
import { formatTimeOfDay } from "../../admin/format.ts";
import { type ListPage, sortAll } from "../../admin/list.ts";
import { viewTarget } from "../../admin/models/alias-target.ts";
import type { CardView, cardsQuery, SettingsView } from "../../admin/models/settings-schema.ts";
import { collectCards, stripProvider } from "../../catalogue/catalogue.ts";
import { dateCard, hasEnded, viewPrice } from "../../catalogue/dated.ts";
import { applyFactors } from "../../catalogue/factored.ts";
import { findPriceDay } from "../../catalogue/file/standing.ts";
import { applyFreePrice } from "../../catalogue/free-price.ts";
import { viewLaterPrices } from "../../catalogue/later-prices.ts";
import { applyOverlay } from "../../catalogue/overlay.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { toUsd } from "../../core/money/money.ts";
import type { ProviderSetup, QuotaRules, RouterRules, Settings } from "../../core/settings.ts";
import { MODEL_VALUES } from "../../core/things/sorts.ts";
import { findProfile } from "../../selectors/profiles.ts";

const MS_PER_SECOND = 1000;

/** Returns all known cards, enabled or not, in the catalogue's order or as the query sorts them, with their prices at that time. */
export function modelsView(
  { operatorModels, newerModels, benchmarks, overlay, providers }: Settings,
  nowMs: number,
  query: Static<typeof cardsQuery> = {},
): ListPage<CardView> {
  const changes = new Map(overlay.map((change) => [change.id, change]));
  const on = new Map(providers.map((provider) => [provider.name, provider]));
  const own = new Set(operatorModels.map(({ id }) => id));
  const cards = [...collectCards(operatorModels, newerModels, benchmarks).values()].map((card) => {
    const changed = applyOverlay(card, changes.get(card.id));
    const provider = on.get(card.provider);
    const priced = applyFactors(applyFreePrice(dateCard(changed ?? card, nowMs), provider), provider);
    // As in the lists for clients: a model that the configuration names stays.
    const isOver = hasEnded(priced) && !own.has(card.id) && !changes.has(card.id);
    if (provider === undefined) return modelView(priced, "provider_off");
    if (changed === null) return modelView(priced, "disabled");
    return modelView(priced, isOver ? "ended" : null);
  });
  return { data: sortAll("models", query, cards, MODEL_VALUES), next: null };
}

function modelView(card: ModelCard, offBecause: CardView["off_because"]): CardView {
  return {
    id: card.id,
    provider: card.provider,
    name: stripProvider(card),
    owned_by: card.ownedBy,
    on: offBecause === null,
    off_because: offBecause,
    context_window: card.contextTokensMax,
    max_output_tokens: card.outputTokensMax,
    capabilities: [...card.capabilities],
    operations: card.operations ? [...card.operations] : null,
    fallbacks: [...card.fallbacks],
    pricing: viewPrice(card),
    later_pricing: viewLaterPrices(card),
    kind: card.kind ?? null,
    shutdown: card.shutdownDate ?? null,
    released: card.created === 0 ? null : new Date(card.created * 1000).toISOString().slice(0, 10),
    ...skillsView(card),
  };
}

function skillsView(card: ModelCard) {
  const { source, benchmark, asOf } = findProfile(card);
  return { skills_source: source, skills_benchmark: benchmark, skills_date: asOf } as const;
}

export interface Running {
  /** The program's version. */
  readonly version: string;
  /** Identifies the process that answers, until it restarts. */
  readonly node: string;
  /** Returns how many changes the watched list of prices has. Null if none was compared. */
  readonly priceChanges?: () => number | null;
}

export function settingsView(
  settings: Settings,
  { version, node, priceChanges = () => null }: Running,
): SettingsView {
  const { quota, billing, limits, router, log, server, providers, aliases } = settings;
  return {
    version,
    store: settings.store.startsWith("sqlite:") ? "sqlite" : "postgres",
    simulated: providers.some(({ name }) => name === "Sim"),
    node,
    quota: quotaView(quota),
    billing: { charge: billing.charge, markup: billing.markup },
    limits: { n: limits.choicesMax, messages: limits.messagesMax },
    router: routerView(router),
    log: { content: log.content, keep_ms: log.keepMs },
    server: {
      host: server.host,
      port: server.port,
      body_limit: server.bodyBytesMax,
      body_memory: server.bodyMemoryBytes,
      drain_ms: server.drainMs,
      store_wait_ms: server.storeWaitMs,
      keep_alive_ms: server.keepAliveMs,
      idle_timeout_ms: server.idleSeconds * MS_PER_SECOND,
      hosts: server.hosts,
      trusted_proxies: server.trustedProxies,
      cors: server.cors,
      public_url: server.publicUrl,
      base_path: server.basePath,
    },
    timeouts: providers.map(timeoutsView),
    prices: { as_of: findPriceDay(settings), changes_waiting: priceChanges() },
    aliases: Object.fromEntries(Object.entries(aliases).map(([name, alias]) => [name, viewTarget(alias)])),
  };
}

function routerView({ fairQuality, allow = ["*"], deny, pin, rules, explore, preview = false }: RouterRules) {
  const shown = rules.map(({ category, shareMin, models, deny: denied }) => ({
    category,
    at_least: shareMin,
    deny: denied,
    ...(models === null ? {} : { models }),
  }));
  return { fair: { quality: fairQuality }, allow, deny, pin, rules: shown, explore, preview };
}

function quotaView({ requestsPerDay, throttleMs, scope, dayStartsMinutes, timeZone, free }: QuotaRules) {
  return {
    requests_per_day: requestsPerDay,
    throttle_ms: throttleMs,
    scope,
    day_starts: formatTimeOfDay(dayStartsMinutes),
    time_zone: timeZone,
    free: {
      models: free.models,
      budget_usd_per_day: free.budgetNanoUsd === null ? null : toUsd(free.budgetNanoUsd),
    },
  };
}

function timeoutsView({ name, timeouts }: ProviderSetup) {
  return {
    provider: name,
    connect_ms: timeouts.connectMs,
    first_byte_ms: timeouts.firstByteMs,
    idle_ms: timeouts.idleMs,
    total_ms: timeouts.totalMs,
  };
}
