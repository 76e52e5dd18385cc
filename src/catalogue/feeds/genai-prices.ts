// The list of genai-prices (`data.json`): providers with their models, in USD per million tokens, some from a day on.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
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
import { GENAI_PROVIDERS, nameModel } from "./provider-names.ts";

const RATES = [
  ["input", "input_mtok"],
  ["output", "output_mtok"],
  ["cached_input", "cache_read_mtok"],
  ["cache_write", "cache_write_mtok"],
] as const;

/** Throws a FeedError if the value isn't such a list. `today` decides which prices are still to come. */
export function readGenaiPrices(value: unknown, known: KnownIds, today: string): readonly FeedRow[] {
  const rows = new Map<string, FeedRow>();
  let count = 0;
  for (const entry of asArray(value)) {
    const { id: theirs, models } = asObject(entry);
    const list = asArray(models).filter(isObject);
    count += list.length;
    const provider = GENAI_PROVIDERS.get(asString(theirs) ?? "");
    if (provider === undefined) continue;
    for (const model of list) {
      for (const id of listMeant(provider, model, known)) {
        if (!rows.has(id)) rows.set(id, readRow(id, model, today));
      }
    }
  }
  if (count === 0) throw new FeedError("no provider has models, so this isn't the list of genai-prices");
  return [...rows.values()];
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
  if (rates === null) return null;
  const tiers = readTiers(prices, read);
  return tiers.length === 0 ? rates : { ...rates, tiers };
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
