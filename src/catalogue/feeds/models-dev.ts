// The list of models.dev (`api.json`): one object, by provider, in USD per million tokens.
import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import { CAPABILITIES, type Capability } from "../../core/models/card.ts";
import {
  FeedError,
  type FeedRow,
  type KnownIds,
  keepStated,
  readCount,
  readRate,
  type StatedPrice,
} from "./feed.ts";
import { MODELS_DEV_PROVIDERS, nameModel } from "./provider-names.ts";

const RATES = [
  ["input", "input"],
  ["output", "output"],
  ["cached_input", "cache_read"],
  ["cache_write", "cache_write"],
  ["reasoning", "reasoning"],
  ["input_audio", "input_audio"],
  ["output_audio", "output_audio"],
] as const;

/** Throws a FeedError if the value isn't such a list. */
export function readModelsDev(value: unknown, known: KnownIds): readonly FeedRow[] {
  const providers = isObject(value) ? Object.entries(value) : [];
  const rows = new Map<string, FeedRow>();
  let count = 0;
  for (const [theirs, provider] of providers) {
    const models = asObject(asObject(provider).models);
    count += Object.keys(models).length;
    const ours = MODELS_DEV_PROVIDERS.get(theirs);
    if (ours === undefined) continue;
    for (const [name, model] of Object.entries(models)) {
      const id = nameModel(ours, name, known);
      if (!rows.has(id) && isObject(model)) rows.set(id, readRow(id, model));
    }
  }
  if (count === 0) throw new FeedError("no provider has models, so this isn't the list of models.dev");
  return [...rows.values()];
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
  if (rates === null) return null;
  return tiers.length === 0 ? rates : { ...rates, tiers };
}

function readRates(id: string, cost: JsonObject) {
  return Object.fromEntries(
    RATES.map(([ours, theirs]) => [ours, readRate(cost[theirs], `${id}: cost.${theirs}`)]),
  );
}
