// The simulation's models and their prices, which the auditor uses too.
import { dateCard } from "../../src/catalogue/dated.ts";
import type { ModelCard, Price, Rates } from "../../src/core/models/card.ts";
import { anthropic } from "../../src/dialects/anthropic/dialect.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { gemini } from "../../src/dialects/gemini/dialect.ts";
import { makeOpenaiDialect } from "../../src/dialects/openai/dialect.ts";
import { OPENAI } from "../../src/dialects/openai/models.ts";
import { findDialect } from "../../src/providers/index.ts";
import { makeModelCard } from "../harness/cards.ts";

/** Whole numbers: millionths of a USD per million tokens, and millionths of a USD per request. */
export interface SimRates {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}
export interface SimPrice extends SimRates {
  readonly perRequest?: number;
  readonly tier?: SimRates & { readonly aboveTokens: number };
}

/** A model whose price changes with the hour or the date. */
export interface SimSchedule {
  /** The price of the first half of each span of these minutes, from the start of the day. */
  readonly peak?: { readonly everyMinutes: number; readonly price: SimPrice };
  /** The price from 00:00 UTC of each day with an odd number on. The usual one is back on the next. */
  readonly oddDays?: SimPrice;
}

export type Shape = "openai" | "anthropic" | "gemini";

export interface SimModel {
  readonly provider: string;
  readonly name: string;
  readonly shape: Shape;
  readonly outputTokensMax: number | null;
  /** The number of choices that one call returns. */
  readonly choices: number;
  readonly price: SimPrice | null;
  readonly schedule?: SimSchedule;
}

export const MODELS: readonly SimModel[] = [
  {
    provider: "Alpha",
    name: "gpt-4o",
    shape: "openai",
    outputTokensMax: 1500,
    choices: 8,
    price: {
      input: 2_500_000,
      cachedInput: 1_250_000,
      output: 10_000_001,
      tier: { aboveTokens: 2000, input: 5_000_000, cachedInput: 2_500_003, output: 22_500_000 },
    },
  },
  {
    provider: "Beta",
    name: "plain-small",
    shape: "openai",
    outputTokensMax: 4000,
    choices: 1,
    price: { input: 333_333, output: 1_111_111, perRequest: 7 },
    schedule: {
      peak: { everyMinutes: 10, price: { input: 777_777, output: 3_333_331, perRequest: 11 } },
    },
  },
  { provider: "Beta", name: "plain-open", shape: "openai", outputTokensMax: null, choices: 1, price: null },
  {
    provider: "Gamma",
    name: "claude-sonnet-4-5",
    shape: "anthropic",
    outputTokensMax: 2000,
    choices: 1,
    price: { input: 3_000_000, cachedInput: 300_000, cacheWrite: 3_750_000, output: 15_000_000 },
    schedule: {
      oddDays: { input: 5_000_000, cachedInput: 250_000, cacheWrite: 6_250_000, output: 22_500_000 },
    },
  },
  {
    provider: "Delta",
    name: "gemini-2.5-flash",
    shape: "gemini",
    outputTokensMax: 3000,
    choices: 8,
    price: {
      input: 300_000,
      output: 2_500_000,
      reasoning: 3_500_000,
      tier: { aboveTokens: 3000, input: 600_000, output: 3_750_000, reasoning: 5_250_000 },
    },
  },
];

const USD = 1_000_000;

function ratesOf(rates: SimRates): Rates {
  const { input, output, cachedInput, cacheWrite, reasoning } = rates;
  return {
    input: input / USD,
    output: output / USD,
    ...(cachedInput === undefined ? {} : { cachedInput: cachedInput / USD }),
    ...(cacheWrite === undefined ? {} : { cacheWrite: cacheWrite / USD }),
    ...(reasoning === undefined ? {} : { reasoning: reasoning / USD }),
  };
}

function priceOf(price: SimPrice): Price {
  const { perRequest, tier } = price;
  return {
    ...ratesOf(price),
    ...(perRequest === undefined ? {} : { perRequest: perRequest / USD }),
    ...(tier === undefined ? {} : { tiers: [{ ...ratesOf(tier), aboveTokens: tier.aboveTokens }] }),
  };
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const WEEK: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 5, 6]);

function hoursOf({ peak }: SimSchedule): Pick<Price, "hours"> {
  if (peak === undefined) return {};
  const price = priceOf(peak.price);
  const starts = Array.from({ length: DAY_MINUTES / peak.everyMinutes }, (_, at) => at * peak.everyMinutes);
  const hours = starts.map((fromMinute) => ({
    days: WEEK,
    fromMinute,
    toMinute: fromMinute + peak.everyMinutes / 2,
    price,
  }));
  return { hours };
}

/** The days around a time. */
const DAYS_AROUND = [-3, -2, -1, 0, 1, 2, 3];

function laterPricesOf({ oddDays }: SimSchedule, nowMs: number): Pick<ModelCard, "laterPrices"> {
  if (oddDays === undefined) return {};
  const today = Math.floor(nowMs / DAY_MS);
  const price = priceOf(oddDays);
  const laterPrices = DAYS_AROUND.map((days) => today + days)
    .filter((day) => day % 2 !== 0)
    .map((day) => ({ fromMs: day * DAY_MS, untilMs: (day + 1) * DAY_MS, price }));
  return { laterPrices };
}

/** Returns the price that counts at a time, Unix milliseconds. */
function findSimPrice({ price, schedule = {} }: SimModel, atMs: number): SimPrice | null {
  const { peak, oddDays } = schedule;
  if (oddDays !== undefined && Math.floor(atMs / DAY_MS) % 2 !== 0) return oddDays;
  const minute = Math.floor(atMs / MINUTE_MS) % DAY_MINUTES;
  if (peak !== undefined && minute % peak.everyMinutes < peak.everyMinutes / 2) return peak.price;
  return price;
}

export function formatId({ provider, name }: SimModel): string {
  return `${provider}#${name}`;
}

export const IDS: readonly string[] = MODELS.map(formatId);

/** Returns the cards as a gateway has them at that time, Unix milliseconds. */
export function listCards(nowMs: number): readonly ModelCard[] {
  return MODELS.map((model) => {
    const { price, schedule = {} } = model;
    const card = makeModelCard(formatId(model), {
      created: 1_770_000_000,
      contextTokensMax: 200_000,
      outputTokensMax: model.outputTokensMax,
      price: price && { ...priceOf(price), ...hoursOf(schedule) },
    });
    return dateCard({ ...card, ...laterPricesOf(schedule, nowMs) }, nowMs);
  });
}

export function findModel(cardId: string): SimModel {
  const model = MODELS.find((one) => formatId(one) === cardId);
  if (!model) throw new Error(`There is no model ${cardId}.`);
  return model;
}

/** The real adapters: Alpha returns several choices per call, Beta and Gamma one. */
export const DIALECT_OF: Readonly<Record<string, Dialect>> = {
  Alpha: makeOpenaiDialect(OPENAI),
  Beta: findDialect("openai"),
  Gamma: anthropic,
  Delta: gemini,
};

/** A provider's count of one call, or of all calls of an answer. */
export interface Counted {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export const NOTHING_COUNTED: Counted = { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0 };

export function addCounts(counts: readonly Counted[]): Counted {
  return counts.reduce(
    (a, b) => ({
      prompt: a.prompt + b.prompt,
      completion: a.completion + b.completion,
      cached: a.cached + b.cached,
      cacheWrite: a.cacheWrite + b.cacheWrite,
      reasoning: a.reasoning + b.reasoning,
    }),
    NOTHING_COUNTED,
  );
}

/** The facts that a bill depends on besides the counts. */
export interface BillTerms {
  readonly choices: number;
  readonly markupParts: number;
  /** When it was called, Unix milliseconds. */
  readonly atMs: number;
}

/**
 * The auditor's own bill in nano-dollars: tokens times choices, with the markup in millionths, rounded up once. Each
 * call has the same prompt, which decides its tier, and is billed as one call.
 */
export function computeBill(
  cardId: string,
  counted: Counted,
  { choices, markupParts, atMs }: BillTerms,
): bigint {
  const model = findModel(cardId);
  const { choices: choicesPerCall } = model;
  const price = findSimPrice(model, atMs);
  if (price === null) return 0n;
  const calls = Math.ceil(choices / choicesPerCall);
  const { prompt, completion, cached, cacheWrite, reasoning } = counted;
  const rates: SimRates = price.tier && prompt / calls > price.tier.aboveTokens ? price.tier : price;
  // A millionth of a USD per million tokens is a pico-dollar per token.
  const pico =
    BigInt(prompt - cached - cacheWrite) * BigInt(rates.input) +
    BigInt(cached) * BigInt(rates.cachedInput ?? rates.input) +
    BigInt(cacheWrite) * BigInt(rates.cacheWrite ?? rates.input) +
    BigInt(completion - reasoning) * BigInt(rates.output) +
    BigInt(reasoning) * BigInt(rates.reasoning ?? rates.output) +
    BigInt(calls * (price.perRequest ?? 0)) * 1_000_000n;
  return ceilDiv(pico * BigInt(markupParts), 1_000_000_000n);
}

export function ceilDiv(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}
