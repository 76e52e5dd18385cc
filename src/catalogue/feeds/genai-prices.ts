// The list of genai-prices (`data.json`): providers with their models, in USD per million tokens, some from a day on.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { parseDay } from "../later-prices.ts";
import { type FeedRow, type KnownIds, keepStated, readCount, readRate, type StatedPrice } from "./feed.ts";
import { GENAI_PROVIDERS, nameModel } from "./provider-names.ts";
import { addTiers, type ListedModel, type PublicList } from "./public-list.ts";

const RATES = [
  ["input", "input_mtok"],
  ["output", "output_mtok"],
  ["cached_input", "cache_read_mtok"],
  ["cache_write", "cache_write_mtok"],
] as const;

export const GENAI_PRICES: PublicList = {
  listModels,
  empty: "no provider has models, so this isn't the list of genai-prices",
};

function listModels(value: unknown, known: KnownIds, today: string): readonly ListedModel[] {
  return asArray(value).flatMap((entry) => {
    const { id: theirs, models } = asObject(entry);
    const provider = GENAI_PROVIDERS.get(asString(theirs) ?? "");
    return asArray(models)
      .filter(isObject)
      .map((model): ListedModel => {
        if (provider === undefined) return [];
        return listMeant(provider, model, known).map((id) => ({ id, read: () => readRow(id, model, today) }));
      });
  });
}

/** The catalogue's models that the row is for, else its own name. */
function listMeant(provider: string, model: JsonObject, known: KnownIds): readonly string[] {
  const own = nameModel(provider, asString(model.id) ?? "", known);
  const prefix = `${provider}#`;
  const matched = [...known.values()].filter(
    (id) => id.startsWith(prefix) && matches(model.match, id.slice(prefix.length).toLowerCase()),
  );
  return [...new Set([own, ...matched])];
}

/** Regular expressions of a stranger's list aren't run, because some take hours. */
function matches(rule: unknown, name: string): boolean {
  if (!isObject(rule)) return false;
  if (Array.isArray(rule.or)) return rule.or.some((one) => matches(one, name));
  if (Array.isArray(rule.and)) return rule.and.every((one) => matches(one, name));
  if (typeof rule.equals === "string") return rule.equals === name;
  if (typeof rule.starts_with === "string") return name.startsWith(rule.starts_with);
  if (typeof rule.ends_with === "string") return name.endsWith(rule.ends_with);
  return typeof rule.contains === "string" && name.includes(rule.contains);
}

function readRow(id: string, model: JsonObject, today: string): FeedRow {
  const dated = listDated(model);
  const price = dated.findLast(({ from }) => from <= today)?.prices;
  return {
    id,
    price: price === undefined ? null : readPrice(id, price),
    laterPrices: dated.flatMap(({ from, prices }) => {
      const later = from > today && parseDay(from) !== null ? readPrice(id, prices) : null;
      return later === null ? [] : [{ from, ...later }];
    }),
    context: readCount(model.context_window),
    output: null,
    shutdown: null,
    capabilities: null,
  };
}

/** The prices by the day that they begin on. Empty if some depend on the hour, which only our own rows say. */
function listDated({ prices }: JsonObject): readonly { from: string; prices: JsonObject }[] {
  if (!Array.isArray(prices)) return [{ from: "", prices: asObject(prices) }];
  const rows = prices.map((one) => {
    const { constraint, prices: rates } = asObject(one);
    return { constraint: asObject(constraint), prices: asObject(rates) };
  });
  if (rows.some(({ constraint }) => constraint.start_time !== undefined)) return [];
  return rows
    .map(({ constraint, prices: rates }) => ({ from: asString(constraint.start_date) ?? "", prices: rates }))
    .toSorted((one, other) => (one.from < other.from ? -1 : 1));
}

function readPrice(id: string, prices: JsonObject): StatedPrice | null {
  const read = (field: string, value: unknown) => readRate(value, `${id}: ${field}`);
  const rates = keepStated(
    Object.fromEntries(
      RATES.map(([ours, field]) => {
        const value = prices[field];
        return [ours, read(field, isObject(value) ? value.base : value)];
      }),
    ),
  );
  return rates === null ? null : addTiers(rates, readTiers(prices, read));
}

function readTiers(prices: JsonObject, read: (field: string, value: unknown) => number | undefined) {
  const byStart = new Map<number, Record<string, number>>();
  for (const [ours, field] of RATES) {
    for (const tier of asArray(asObject(prices[field]).tiers)) {
      const { start, price } = asObject(tier);
      const above = readCount(start);
      const rate = read(field, price);
      if (above !== null && rate !== undefined) byStart.set(above, { ...byStart.get(above), [ours]: rate });
    }
  }
  return [...byStart].map(([above_tokens, rates]) => ({ above_tokens, ...rates }));
}
