// The list of models.dev (`api.json`): one object, by provider, in USD per million tokens.
import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import { CAPABILITIES, type Capability } from "../../core/models/card.ts";
import { type FeedRow, type KnownIds, keepStated, readCount, readRate, type StatedPrice } from "./feed.ts";
import { MODELS_DEV_PROVIDERS, nameModel } from "./provider-names.ts";
import { addTiers, type ListedModel, type PublicList } from "./public-list.ts";

const RATES = [
  ["input", "input"],
  ["output", "output"],
  ["cached_input", "cache_read"],
  ["cache_write", "cache_write"],
  ["reasoning", "reasoning"],
  ["input_audio", "input_audio"],
  ["output_audio", "output_audio"],
] as const;

export const MODELS_DEV: PublicList = {
  listModels,
  empty: "no provider has models, so this isn't the list of models.dev",
};

function listModels(value: unknown, known: KnownIds): readonly ListedModel[] {
  const providers = isObject(value) ? Object.entries(value) : [];
  return providers.flatMap(([theirs, provider]) => {
    const ours = MODELS_DEV_PROVIDERS.get(theirs);
    return Object.entries(asObject(asObject(provider).models)).map(([name, model]): ListedModel => {
      if (ours === undefined || !isObject(model)) return [];
      const id = nameModel(ours, name, known);
      return [{ id, read: () => readRow(id, model) }];
    });
  });
}

function readRow(id: string, model: JsonObject): FeedRow {
  const { context, output } = asObject(model.limit);
  return {
    id,
    price: isObject(model.cost) ? readPrice(id, model.cost) : null,
    laterPrices: [],
    context: readCount(context),
    output: readCount(output),
    shutdown: null,
    capabilities: readCapabilities(model),
  };
}

/** Null for models that write more than text. */
function readCapabilities(model: JsonObject): readonly Capability[] | null {
  const { input, output } = asObject(model.modalities);
  const kinds = asArray(input);
  if (!asArray(output).every((kind) => kind === "text")) return null;
  const has: Readonly<Partial<Record<Capability, boolean>>> = {
    tools: model.tool_call === true,
    vision: kinds.includes("image"),
    files: kinds.includes("pdf"),
    structured: model.structured_output === true,
    reasoning: model.reasoning === true,
  };
  return CAPABILITIES.filter((capability) => has[capability]);
}

function readPrice(id: string, cost: JsonObject): StatedPrice | null {
  const rates = keepStated(readRates(id, cost));
  const tiers = asArray(cost.tiers).flatMap((tier) => {
    const above = readCount(asObject(asObject(tier).tier).size);
    return above === null ? [] : [{ above_tokens: above, ...keepStated(readRates(id, asObject(tier))) }];
  });
  return addTiers(rates, tiers);
}

function readRates(id: string, cost: JsonObject) {
  return Object.fromEntries(
    RATES.map(([ours, theirs]) => [ours, readRate(cost[theirs], `${id}: cost.${theirs}`)]),
  );
}
