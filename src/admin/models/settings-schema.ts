// The configuration as the operator sees it: the schemas of the catalogue's models and the current rules.
import { Type } from "@sinclair/typebox";
import { DAYS } from "../../catalogue/hours.ts";
import type { LaterPriceFields } from "../../catalogue/later-prices.ts";
import { type PriceFields, UNIT_FIELDS } from "../../catalogue/price.ts";
import { RATE_FIELDS, type RateFields } from "../../catalogue/rates.ts";
import { MODEL_KINDS, SERVICE_TIERS } from "../../core/models/card.ts";
import { SOURCES } from "../../core/models/origin.ts";
import { KINDS } from "../../core/models/skill.ts";
import { sortFields } from "../list.ts";
import { allowNull, allowWords, boolean, count, number, share, text, usd, type View } from "../schema.ts";
import { aliasTargetSchema } from "./alias-target.ts";

const eachUsd = (fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, Type.Optional(usd)]));
const rates = { ...eachUsd(RATE_FIELDS), input: usd, output: usd };
const hours = Type.Object({
  days: Type.Array(allowWords(DAYS)),
  from: Type.String({ description: "In UTC." }),
  to: Type.String({ description: "The first minute that is over, in UTC." }),
  ...rates,
});
const prices = {
  ...rates,
  ...eachUsd(UNIT_FIELDS),
  tiers: Type.Optional(Type.Array(Type.Object({ above_tokens: count, ...rates }))),
  hours: Type.Optional(Type.Array(hours)),
  service: Type.Optional(
    Type.Object(Object.fromEntries(SERVICE_TIERS.map((tier) => [tier, Type.Optional(Type.Object(rates))])), {
      description: "The rates of other services that the provider may serve.",
    }),
  ),
};
export const pricingSchema = Type.Unsafe<PriceFields & RateFields>(
  Type.Object(prices, { description: "In USD per million tokens; `per_…` fields in USD per unit." }),
);

/** Announced prices. If they list only pieces, there are none for tokens. */
const laterPricingSchema = Type.Unsafe<LaterPriceFields>(
  Type.Object({
    ...Type.Partial(Type.Object(prices)).properties,
    from: Type.String({ description: "The day from which the price applies." }),
    until: Type.Optional(Type.String({ description: "The last day on which it applies." })),
  }),
);

/** Other fields are ignored, as they always were: the list has no pages. */
export const cardsQuery = Type.Object(sortFields("models", "In the catalogue's order"));

export const cardSchema = Type.Object({
  id: text,
  provider: text,
  name: text,
  owned_by: text,
  on: boolean,
  off_because: allowNull(allowWords(["provider_off", "disabled", "ended"])),
  context_window: allowNull(count),
  max_output_tokens: allowNull(count),
  capabilities: Type.Array(text),
  operations: allowNull(Type.Array(text)),
  fallbacks: Type.Array(text),
  pricing: allowNull(pricingSchema),
  later_pricing: Type.Array(laterPricingSchema),
  kind: allowNull(allowWords(MODEL_KINDS)),
  shutdown: allowNull(text),
  released: allowNull(text),
  skills_source: allowWords(SOURCES),
  skills_benchmark: allowNull(text),
  skills_date: allowNull(text),
});
export type CardView = View<typeof cardSchema>;

const quotaSchema = Type.Object({
  requests_per_day: allowNull(count),
  throttle_ms: number,
  scope: allowWords(["key", "account"]),
  day_starts: text,
  time_zone: text,
  free: Type.Object({ models: Type.Array(text), budget_usd_per_day: allowNull(usd) }),
});

const routerSchema = Type.Object({
  fair: Type.Object({ quality: share }),
  allow: Type.Array(text),
  deny: Type.Array(text),
  pin: Type.Record(text, text),
  rules: Type.Array(
    Type.Object({
      category: allowWords(KINDS),
      at_least: share,
      models: Type.Optional(Type.Array(text)),
      deny: Type.Array(text),
    }),
  ),
  explore: share,
  preview: boolean,
});

const serverSchema = Type.Object({
  host: text,
  port: count,
  body_limit: count,
  body_memory: count,
  drain_ms: number,
  keep_alive_ms: number,
  store_wait_ms: number,
  idle_timeout_ms: number,
  hosts: Type.Array(text),
  trusted_proxies: Type.Array(text),
  cors: Type.Array(text),
  public_url: allowNull(text),
  base_path: text,
});

const timeoutsSchema = Type.Object({
  provider: text,
  connect_ms: number,
  first_byte_ms: allowNull(number),
  idle_ms: number,
  total_ms: number,
});

export const settingsSchema = Type.Object({
  version: text,
  store: allowWords(["sqlite", "postgres"]),
  simulated: boolean,
  node: text,
  quota: quotaSchema,
  billing: Type.Object({ charge: allowWords(["beyond_allowance", "always"]), markup: number }),
  limits: Type.Object({ n: count, messages: count }),
  router: routerSchema,
  log: Type.Object({ content: boolean, keep_ms: number }),
  server: serverSchema,
  timeouts: Type.Array(timeoutsSchema),
  aliases: Type.Record(text, aliasTargetSchema),
  prices: Type.Object({
    as_of: Type.String({ format: "date", description: "The day of the catalogue's prices." }),
    changes_waiting: allowNull(count),
  }),
});
export type SettingsView = View<typeof settingsSchema>;
