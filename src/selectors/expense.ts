// Estimates the cost and time of an answer.
import type { ModelCard, Price, Rates } from "../core/models/card.ts";
import type { ReasoningEffort } from "../operations/chat/form.ts";
import { findProfile } from "./profiles.ts";
import type { Lengths } from "./row.ts";
import type { CardTable } from "./table.ts";

const PER_MILLION = 1e6;
/** Added to costs before they are divided, so that two free ones are equal. */
export const TINY = 1e-9;
/** The amount of thinking at each effort, relative to the usual. */
const EFFORT: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 0.1,
  low: 0.4,
  medium: 1,
  high: 2.2,
  xhigh: 3.5,
  max: 5,
};
/** Thinking tokens, roughly, of a model that thinks only when asked. */
const THOUGHT_WHEN_ASKED = 900;
const THOUGHT_MAX = 30_000;
/** A harder question takes more thinking: e times as much for this many units of log-odds. */
const HARDER_FOLD = 2;
/** Times are estimated in steps of this. */
const STEP_MS = 100;
/** An error costs a further attempt. */
const ERROR_TIME = 2;

/** Returns a function that estimates the thinking about one request, in tokens, from the profile's thinking tokens. */
export function makeThoughtEstimate(effort: ReasoningEffort | undefined, difficulty: number) {
  const harder = Math.exp(difficulty / HARDER_FOLD);
  const times = effort === undefined ? null : EFFORT[effort];
  return (thinkingTokens: number): number => {
    if (thinkingTokens === 0) return 0;
    const usual = times === null ? thinkingTokens : Math.max(THOUGHT_WHEN_ASKED, thinkingTokens) * times;
    return Math.round(Math.min(THOUGHT_MAX, usual * harder));
  };
}

/**
 * Returns USD before the operator's markup. All amounts are tokens: the prompt, the part of it that is likely to be in
 * the provider's cache, the answer, and the thinking.
 */
export function estimateCost(
  price: Price,
  prompt: number,
  cached: number,
  answer: number,
  thought: number,
): number {
  const rates = findRates(price, prompt);
  const held = Math.min(cached, prompt);
  const usd =
    (prompt - held) * rates.input +
    held * (rates.cachedInput ?? rates.input) +
    answer * rates.output +
    thought * (rates.reasoning ?? rates.output);
  return usd / PER_MILLION + (price.perRequest ?? 0);
}

/** The same, to the last digit, for a card without tiers of which nothing is cached: what thousands are compared by. */
export function estimatePlainCost(
  { inputRate, outputRate, reasoningRate, perRequest }: CardTable,
  row: number,
  prompt: number,
  answer: number,
  thought: number,
): number {
  const usd =
    prompt * (inputRate[row] ?? 0) + answer * (outputRate[row] ?? 0) + thought * (reasoningRate[row] ?? 0);
  return usd / PER_MILLION + (perRequest[row] ?? 0);
}

/** Returns the highest tier that the prompt exceeds; its rates apply to the whole prompt. */
function findRates(price: Price, promptTokens: number): Rates {
  if (price.tiers === undefined) return price;
  let found: Rates = price;
  let above = -1;
  for (const tier of price.tiers) {
    if (promptTokens <= tier.aboveTokens || tier.aboveTokens <= above) continue;
    found = tier;
    above = tier.aboveTokens;
  }
  return found;
}

/** A card's live health as the choice of a model reads it, supplied by the gateway. */
export interface CardHealth {
  /** Median of recent times to the first token. Null if too few were seen. */
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
  /** 0…1, recent. */
  readonly errorRate: number;
  /** True if the circuit breaker is open: nothing is sent to the provider. */
  readonly isOpen: boolean;
}

export interface HealthView {
  /** Returns a function that reads the health of the card in a place. Null if nothing was seen of it. */
  over(table: CardTable): (place: number) => CardHealth | null;
}

/**
 * Returns the milliseconds to a full answer of this many tokens, to a tenth of a second: no estimate is more exact.
 * `speed` is in tokens per second.
 */
export function estimateMs(firstMs: number, speed: number, errorRate: number, tokens: number): number {
  const ms = firstMs + (tokens / Math.max(1, speed)) * 1000;
  return Math.max(1, Math.round((ms * (1 + ERROR_TIME * errorRate)) / STEP_MS)) * STEP_MS;
}

/**
 * Returns a cost relative to the geometric mean of the champion's costs for this request and for labelled prompts. By
 * the first alone, a request with much to save would count no more than a short one; by the second alone, a long one
 * would count so much that quality wouldn't matter.
 */
export function weighCost(usd: number, champion: number, usual: number): number {
  return (usd + TINY) / (Math.sqrt(champion * usual) + TINY);
}

/** Returns the natural logarithm of a time relative to the champion's: 0 if equal, −1 if it is e times as fast. */
export function weighTime(ms: number, champion: number): number {
  return Math.log((ms + 1) / (champion + 1));
}

/** The expected cost and time of an answer. */
export interface Expense {
  readonly usd: number;
  readonly ms: number;
}

/** Finds a model, as it is known without labels, by its card's id. Null if there is no such card. */
export type FindModel = (id: string) => ReturnType<typeof describeModel> | null;

/** Uses list prices and profiles only: providers' current health says nothing about prompts asked in the past. */
export function makeFindModel(cards: readonly ModelCard[], lengthOf: (model: string) => number): FindModel {
  const models = new Map(cards.map((card) => [card.id, describeModel(card, lengthOf(card.id))]));
  return (id) => models.get(id) ?? null;
}

function describeModel(card: ModelCard, length: number) {
  const { price } = card;
  const profile = findProfile(card);
  /** Returns the expected expense of its answer to a request of these lengths. Null if it has no price. */
  const estimate = ({ promptTokens, outputTokens, difficultyLogit }: Lengths): Expense | null => {
    if (price === null) return null;
    const answer = outputTokens * length;
    const thought = makeThoughtEstimate(undefined, difficultyLogit)(profile.thinkingTokens) * length;
    const usd = estimateCost(price, promptTokens, 0, answer, thought);
    return { usd, ms: estimateMs(profile.firstTokenMs, profile.tokensPerSecond, 0, answer + thought) };
  };
  return { profile, estimate };
}
