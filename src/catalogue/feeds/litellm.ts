// LiteLLM's map of models (`model_prices_and_context_window.json`): one object, by model, in USD per token.
import { asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { Capability } from "../../core/models/card.ts";
import { parseDay } from "../later-prices.ts";
import {
  FeedError,
  type FeedRow,
  type KnownIds,
  keepStated,
  readCount,
  readRate,
  type StatedPrice,
} from "./feed.ts";
import { LITELLM_PROVIDERS, nameModel } from "./provider-names.ts";
import { addTiers, type ListedModel, type PublicList } from "./public-list.ts";

/** Describes the fields of the others, with texts in place of numbers. */
const SAMPLE = "sample_spec";
const RATES = [
  ["input", "input_cost_per_token"],
  ["output", "output_cost_per_token"],
  ["cached_input", "cache_read_input_token_cost"],
  ["cache_write", "cache_creation_input_token_cost"],
  ["cache_write_1h", "cache_creation_input_token_cost_above_1hr"],
  ["cache_write_12h", "cache_creation_input_token_cost_above_12hr"],
] as const;
const CAPABILITIES = [
  ["tools", "supports_function_calling"],
  ["vision", "supports_vision"],
  ["files", "supports_pdf_input"],
  ["structured", "supports_response_schema"],
  ["reasoning", "supports_reasoning"],
] as const;
const TIER = /^input_cost_per_token_above_(\d{1,6})k_tokens$/;
const THOUSAND = 1000;

export const LITELLM: PublicList = {
  listModels,
  empty: "no row has a litellm_provider, so this isn't LiteLLM's list",
};

function listModels(value: unknown, known: KnownIds): readonly ListedModel[] {
  if (!isObject(value)) throw new FeedError("LiteLLM's list is an object, by model");
  return Object.entries(value).flatMap(([key, row]): readonly ListedModel[] => {
    if (key === SAMPLE || !isObject(row) || row.litellm_provider === undefined) return [];
    // A row that can't be right makes the list useless, even if another one is the first of its model.
    const read = readRow(key, row, known);
    return [read === null ? [] : [{ id: read.id, read: () => read }]];
  });
}

function readRow(key: string, row: JsonObject, known: KnownIds): FeedRow | null {
  const [theirs = ""] = (asString(row.litellm_provider) ?? "").split("-");
  const provider = LITELLM_PROVIDERS.get(theirs);
  if (provider === undefined) return null;
  const name = key.startsWith(`${theirs}/`) ? key.slice(theirs.length + 1) : key;
  const day = asString(row.deprecation_date) ?? "";
  return {
    id: nameModel(provider, name, known),
    price: readPrice(key, row),
    laterPrices: [],
    context: readCount(row.max_input_tokens),
    output: readCount(row.max_output_tokens),
    shutdown: parseDay(day) === null ? null : day,
    capabilities: row.mode === "chat" || row.mode === "responses" ? readCapabilities(row) : null,
  };
}

function readCapabilities(row: JsonObject): readonly Capability[] {
  return CAPABILITIES.filter(([, field]) => row[field] === true).map(([capability]) => capability);
}

function readPrice(key: string, row: JsonObject): StatedPrice | null {
  const rates = keepStated(readRates(key, row, ""));
  const tiers = Object.keys(row).flatMap((field) => {
    const thousands = TIER.exec(field)?.[1];
    if (thousands === undefined) return [];
    return [{ above_tokens: Number(thousands) * THOUSAND, ...readTier(key, row, thousands) }];
  });
  return addTiers(rates, tiers);
}

function readTier(key: string, row: JsonObject, thousands: string) {
  return keepStated(readRates(key, row, `_above_${thousands}k_tokens`));
}

function readRates(key: string, row: JsonObject, suffix: string) {
  return Object.fromEntries(
    RATES.map(([ours, theirs]) => {
      const field = `${theirs}${suffix}`;
      return [ours, readRate(row[field], `${key}: ${field}`, true)];
    }),
  );
}
