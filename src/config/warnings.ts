// Warnings about a valid configuration: fields that cost or reveal more than one might expect.

import { buildCatalogue, splitId } from "../catalogue/catalogue.ts";
import { isObject } from "../core/json/json.ts";
import type { Settings } from "../core/settings.ts";
import { warnOfParameters } from "../core/world/postgres-address.ts";
import type { Issue, Path } from "./errors.ts";
import type { Interpolation } from "./interpolate.ts";
import { warnOfUnknownAliases } from "./models/alias-names.ts";
import { nameFallback } from "./models/fallbacks.ts";
import { warnOfGuard } from "./models/guard-warnings.ts";
import type { Config } from "./schema.ts";
import { warnOfSockets } from "./socket-warnings.ts";
import { warnOfShortCredentials } from "./tools/tool-warnings.ts";

/** Its models are there whenever the simulated provider is. */
const SIMULATOR = "sim";
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** `sources` holds the values that come from the environment or a file. */
export function collectWarnings(
  config: Config,
  settings: Settings,
  sources: Interpolation["sources"],
): readonly Issue[] {
  return [
    ...warnOfPlainSecrets(config, [], sources),
    ...warnOfNoProvider(config, settings),
    ...warnOfUnlimitedKeys(settings),
    ...warnOfUnlistedModels(config),
    ...warnOfLostFallbacks(config, settings),
    ...warnOfLostCompactModel(config, settings),
    ...warnOfSockets(config, settings),
    ...warnOfGuard(config, settings),
    ...warnOfUnboundedSpending(config, settings),
    ...warnOfUnknownAliases(config),
    ...warnOfOpenMetrics(settings),
    ...warnOfStoreParameters(settings),
    ...warnOfShortCredentials(settings),
  ];
}

/** Fields that hold a secret, or a list of them. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  "admin_token",
  "token",
  "keys",
  "key",
  "client_secret",
  "secret_access_key",
  "session_token",
  "service_account",
  "secret",
  "secret_key",
  "webhook_secret",
]);
/** Shorter texts are stand-ins such as "ollama", which local servers ask for. */
const SECRET_CHARACTERS_MIN = 16;
const PASSWORD = /^[a-z]+:\/\/[^/@:]*:[^/@]+@/;

/** Warns of each secret that is written in the file itself. */
function warnOfPlainSecrets(value: unknown, path: Path, sources: Interpolation["sources"]): readonly Issue[] {
  if (Array.isArray(value))
    return value.flatMap((one, at) => warnOfPlainSecrets(one, [...path, at], sources));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, one]) => warnOfPlainSecrets(one, [...path, name], sources));
  }
  if (typeof value !== "string" || sources.has(JSON.stringify(path))) return [];
  const field = path.findLast((step) => typeof step === "string");
  // Those of a hook are names of keys, and those of a watched list public ones.
  const isOpen = (path[0] === "hooks" || path[0] === "catalogue") && field === "keys";
  const isSecret = SECRET_FIELDS.has(String(field)) && !isOpen && value.length >= SECRET_CHARACTERS_MIN;
  if (!isSecret && !(field === "store" && PASSWORD.test(value))) return [];
  const message = `this secret is written in the file itself, for everyone who can read it; write \${NAME} or \${file:/path} in its place`;
  return [{ path, at: "value", message }];
}

function warnOfNoProvider({ providers }: Config, settings: Settings): readonly Issue[] {
  if (settings.providers.length > 0) return [];
  const message = "no provider is enabled; set a provider's key in the environment, such as OPENAI_API_KEY";
  if (providers !== undefined) return [{ path: ["providers"], at: "value", message }];
  return [{ path: [], at: "value", message, variable: "" }];
}

function warnOfUnlimitedKeys({ server, quota, billing, ownerLimits }: Settings): readonly Issue[] {
  const isOpen = !LOOPBACK.test(server.host);
  const isBudgeted = ownerLimits.keyDefaults.budgets.some(({ isHard }) => isHard);
  if (!isOpen || isBudgeted || quota.requestsPerDay !== null || billing.charge === "always") return [];
  const message =
    "keys have no limit and nothing is charged, on an address that others can reach; set a number, a budget in key_defaults, or billing.charge: always";
  return [{ path: ["quota", "requests_per_day"], at: "value", message }];
}

function warnOfUnlistedModels({ providers = {} }: Config): readonly Issue[] {
  return Object.entries(providers).flatMap(([name, provider]) => {
    if (provider?.unlisted_models !== true) return [];
    const message = `names that are not in the catalogue have no price, and share one label in the metrics: model="${name}#(unlisted)"`;
    return [{ path: ["providers", name, "unlisted_models"], at: "value" as const, message }];
  });
}

function warnOfLostCompactModel({ responses }: Config, settings: Settings): readonly Issue[] {
  const model = responses?.compact_model ?? "";
  const provider = splitId(model)?.provider ?? "";
  if (provider === "") return [];
  const isOn = hasProvider(settings.providers, provider);
  if (isOn && buildCatalogue(settings).resolve(model).kind === "card") return [];
  const message = isOn
    ? `has no effect: ${provider} has no model '${model}' here`
    : `has no effect: ${provider} is not an enabled provider`;
  return [{ path: ["responses", "compact_model"], at: "value", message }];
}

function hasProvider(providers: Settings["providers"], name: string): boolean {
  const known = [SIMULATOR, ...providers.map((provider) => provider.name.toLowerCase())];
  return known.includes(name.toLowerCase());
}

/** Failover skips them without a word. */
function warnOfLostFallbacks({ models = {} }: Config, { providers }: Settings): readonly Issue[] {
  return Object.entries(models).flatMap(([id, { fallbacks = [] }]) =>
    fallbacks.flatMap((fallback, at) => {
      const provider = splitId(nameFallback(fallback))?.provider ?? "";
      if (provider === "" || hasProvider(providers, provider)) return [];
      const message = `has no effect: ${provider} is not an enabled provider`;
      return [{ path: ["models", id, "fallbacks", at], at: "value" as const, message }];
    }),
  );
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

function warnOfStoreParameters({ store }: Settings): readonly Issue[] {
  const message = warnOfParameters(store);
  return message === null ? [] : [{ path: ["store"], at: "value", message }];
}
