// Reads the public model lists from which the catalogue is made, all into the same plain facts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../src/core/json/json.ts";

/** USD per million tokens, with the field names of the catalogue's file. */
export interface PriceFacts {
  input: number;
  output: number;
  cached_input?: number;
  cache_write?: number;
  cache_write_1h?: number;
  cache_write_12h?: number;
  reasoning?: number;
  input_audio?: number;
  per_search?: number;
  tiers?: ({ above_tokens: number } & Pick<
    PriceFacts,
    "input" | "output" | "cached_input" | "cache_write" | "cache_write_1h" | "cache_write_12h"
  >)[];
  service?: Record<string, Pick<PriceFacts, "input" | "output">>;
  hours?: ({ days: string[]; from: string; to: string } & Pick<
    PriceFacts,
    "input" | "output" | "cached_input"
  >)[];
}

export interface ModelFacts {
  readonly provider: string;
  readonly name: string;
  readonly kind: string;
  readonly deprecated: boolean;
  readonly released: string | null;
  readonly context: number | null;
  readonly output: number | null;
  readonly price: PriceFacts | null;
  /** The facts that the source states. An empty list of inputs means that it states none. */
  readonly tools: boolean;
  readonly reasoning: boolean;
  readonly structured: boolean;
  readonly inputs: readonly string[];
}

/** The lists' names of providers → ours. */
export const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  mistral: "Mistral",
  perplexity: "Perplexity",
  cohere: "Cohere",
  deepseek: "DeepSeek",
  xai: "xAI",
  "x-ai": "xAI",
  groq: "Groq",
  together: "Together",
  fireworks: "Fireworks",
  cerebras: "Cerebras",
  openrouter: "OpenRouter",
  moonshot: "Moonshot",
  moonshotai: "Moonshot",
  alibaba: "Qwen",
  zai: "ZAI",
  nvidia: "NVIDIA",
  deepinfra: "DeepInfra",
  azure: "Azure",
  bedrock: "Bedrock",
  aws: "Bedrock",
  vertex: "Vertex",
};

const PRICE_DIGITS = 1e6;

/** A price rounded to 6 decimals. Undefined if missing or 0, which the lists use for "not stated". */
function rate(value: unknown): number | undefined {
  const number = asNumber(value);
  return number === undefined || number <= 0 ? undefined : Math.round(number * PRICE_DIGITS) / PRICE_DIGITS;
}

function without<T extends object>(fields: T): T {
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) Reflect.deleteProperty(fields, key);
  }
  return fields;
}

/** Facts from the merged list (`gateway-catalogue.json`), in its order. */
export function mergedList(folder: string): ModelFacts[] {
  const models = asArray(
    asObject(parseJson(readFileSync(join(folder, "gateway-catalogue.json"), "utf8"))).models,
  );
  return models
    .filter(isObject)
    .filter((row) => PROVIDER_NAMES[asString(row.provider) ?? ""] !== undefined)
    .map(mergedRow);
}

function mergedRow(row: JsonObject): ModelFacts {
  return {
    provider: PROVIDER_NAMES[asString(row.provider) ?? ""] ?? "",
    name: asString(row.model) ?? "",
    kind: asString(row.kind) ?? "",
    deprecated: row.status === "deprecated",
    released: asString(row.release_date) ?? null,
    context: positive(row.context_window),
    output: positive(row.max_output),
    price: mergedPrice(asObject(row.price)),
    tools: row.tools === true,
    reasoning: row.reasoning === true,
    structured: row.structured_output === true,
    inputs: asArray(asObject(row.modalities).input).filter((input) => typeof input === "string"),
  };
}

function positive(value: unknown): number | null {
  const number = asNumber(value);
  return number === undefined || number <= 0 ? null : number;
}

function mergedPrice(price: JsonObject): PriceFacts | null {
  const input = rate(price.input);
  const output = rate(price.output);
  if (input === undefined || output === undefined) return null;
  const tiers = asArray(price.tiers)
    .filter(isObject)
    .map((tier) =>
      without({
        above_tokens: asNumber(asObject(tier.tier).size) ?? 0,
        input: rate(tier.input) ?? input,
        output: rate(tier.output) ?? output,
        cached_input: rate(tier.cache_read),
        cache_write: rate(tier.cache_write),
      }),
    );
  return without({
    input,
    output,
    cached_input: rate(price.cache_read),
    cache_write: rate(price.cache_write),
    reasoning: rate(price.reasoning),
    tiers: tiers.length > 0 ? tiers : undefined,
  });
}

/** One provider's rows of the dated price list (`genai-prices.v2.data.json`). */
export interface DatedPrices {
  readonly provider: string;
  readonly rows: readonly JsonObject[];
}

export function datedPrices(folder: string): DatedPrices[] {
  const list = asArray(parseJson(readFileSync(join(folder, "genai-prices.v2.data.json"), "utf8")));
  return list
    .filter(isObject)
    .filter((entry) => PROVIDER_NAMES[asString(entry.id) ?? ""] !== undefined)
    .map((entry) => ({
      provider: PROVIDER_NAMES[asString(entry.id) ?? ""] ?? "",
      rows: asArray(entry.models).filter(isObject),
    }));
}

/** The price of a name in the dated list on that date, or null. An exact match takes precedence over a pattern. */
export function datedPrice(
  prices: readonly DatedPrices[],
  provider: string,
  name: string,
  day: string,
): PriceFacts | null {
  const rows = prices.filter((entry) => entry.provider === provider).flatMap((entry) => entry.rows);
  const row = rows.find((one) => one.id === name) ?? rows.find((one) => matches(one.match, name));
  if (row === undefined) return null;
  const dated = Array.isArray(row.prices) ? row.prices.filter(isObject) : [{ prices: row.prices }];
  const valid = dated.filter((one) => (asString(asObject(one.constraint).start_date) ?? "") <= day);
  return datedFacts(asObject(valid.at(-1)?.prices));
}

function matches(rule: unknown, name: string): boolean {
  if (!isObject(rule)) return false;
  if (Array.isArray(rule.or)) return rule.or.some((one) => matches(one, name));
  if (Array.isArray(rule.and)) return rule.and.every((one) => matches(one, name));
  if (typeof rule.equals === "string") return rule.equals === name;
  if (typeof rule.starts_with === "string") return name.startsWith(rule.starts_with);
  if (typeof rule.ends_with === "string") return name.endsWith(rule.ends_with);
  if (typeof rule.contains === "string") return name.includes(rule.contains);
  return typeof rule.regex === "string" && new RegExp(rule.regex).test(name);
}

const DATED_FIELDS = {
  input: "input_mtok",
  output: "output_mtok",
  cached_input: "cache_read_mtok",
  cache_write: "cache_write_mtok",
} as const;

function datedFacts(prices: JsonObject): PriceFacts | null {
  const base = (field: string) =>
    rate(isObject(prices[field]) ? asObject(prices[field]).base : prices[field]);
  const input = base(DATED_FIELDS.input);
  const output = base(DATED_FIELDS.output);
  if (input === undefined || output === undefined) return null;
  const searches = rate(prices.web_searches_kcount);
  const tier = datedTier(prices, input, output);
  return without({
    input,
    output,
    cached_input: base(DATED_FIELDS.cached_input),
    cache_write: base(DATED_FIELDS.cache_write),
    reasoning: rate(prices.output_reasoning_mtok),
    per_search: searches === undefined ? undefined : searches / 1000,
    tiers: tier === null ? undefined : [tier],
  });
}

function datedTier(prices: JsonObject, input: number, output: number) {
  const above = (field: string) => asObject(asArray(asObject(prices[field]).tiers)[0]);
  const start = asNumber(above(DATED_FIELDS.input).start);
  if (start === undefined) return null;
  return without({
    above_tokens: start,
    input: rate(above(DATED_FIELDS.input).price) ?? input,
    output: rate(above(DATED_FIELDS.output).price) ?? output,
    cached_input: rate(above(DATED_FIELDS.cached_input).price),
    cache_write: rate(above(DATED_FIELDS.cache_write).price),
  });
}

/** The curated list's input and output prices by its `provider#model`, for a second opinion. */
export function curatedPrices(
  folder: string,
): Map<string, { readonly input: number; readonly output: number }> {
  const found = new Map<string, { readonly input: number; readonly output: number }>();
  for (const line of readFileSync(join(folder, "curated.md"), "utf8").split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    const [provider, ...name] = (cells[1] ?? "").replaceAll("`", "").split("#");
    const ours = PROVIDER_NAMES[provider ?? ""];
    const input = Number(cells[4]);
    const output = Number(cells[5]);
    if (ours === undefined || !Number.isFinite(input) || !Number.isFinite(output)) continue;
    found.set(`${ours}#${name.join("#")}`, { input, output });
  }
  return found;
}
