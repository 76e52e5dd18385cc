// Warnings about a valid configuration: fields that cost or reveal more than one might expect.
import type { Settings } from "../core/settings.ts";
import type { Issue } from "./errors.ts";
import type { Config } from "./schema.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

export function collectWarnings(config: Config, settings: Settings): readonly Issue[] {
  return [
    ...warnOfUnlistedModels(config),
    ...warnOfUnboundedSpending(config, settings),
    ...warnOfOpenMetrics(settings),
  ];
}

function warnOfUnlistedModels({ providers = {} }: Config): readonly Issue[] {
  return Object.entries(providers).flatMap(([name, provider]) => {
    if (provider?.unlisted_models !== true) return [];
    const message = `names that are not in the catalogue have no price, and share one label in the metrics: model="${name}#(unlisted)"`;
    return [{ path: ["providers", name, "unlisted_models"], at: "value" as const, message }];
  });
}

function warnOfUnboundedSpending(config: Config, { quota, billing }: Settings): readonly Issue[] {
  const isFree = billing.charge !== "always" && (quota.requestsPerDay !== 0 || quota.throttleMs > 0);
  if (!isFree || quota.free.budgetNanoUsd !== null) return [];
  const message =
    config.quota?.free?.models === undefined
      ? "200 free requests a day per key can cost over 100,000 USD a day with the most expensive model; set an amount, or list cheaper models in quota.free.models"
      : "nothing limits the cost of a key's free requests; make sure that the models in quota.free.models are cheap enough";
  return [{ path: ["quota", "free", "budget_usd_per_day"], at: "value", message }];
}

function warnOfOpenMetrics({ server, metrics }: Settings): readonly Issue[] {
  if (metrics.token !== null || LOOPBACK.test(server.host)) return [];
  const message = "everyone who can reach this address can read /metrics; set metrics.token to prevent that";
  return [{ path: ["server", "host"], at: "value", message }];
}
