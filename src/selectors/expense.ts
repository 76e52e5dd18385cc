// Estimates the cost of an answer and the time that it takes.
import type { ModelCard, Price, Rates } from "../core/card.ts";
import type { ReasoningEffort } from "../operations/chat/form.ts";
import { findProfile, type Profile } from "./profiles.ts";
import type { Lengths } from "./row.ts";

const PER_MILLION = 1e6;
/** Two that are free are equal. */
export const TINY = 1e-9;
/** The amount of thinking at an effort, against the usual. */
const EFFORT: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 0.1,
  low: 0.4,
  medium: 1,
  high: 2.2,
  xhigh: 3.5,
  max: 5,
};
/** A model that thinks only when asked does so by about this much. */
const THOUGHT_WHEN_ASKED = 900;
const THOUGHT_MAX = 30_000;
/** A harder question is thought about longer: e-fold for so many units of log-odds. */
const HARDER_FOLD = 2;
/** An error costs a further attempt. */
const ERROR_TIME = 2;

export function thoughtTokens(
  profile: Profile,
  effort: ReasoningEffort | undefined,
  difficulty: number,
): number {
  if (profile.thinkingTokens === 0) return 0;
  const usual =
    effort === undefined
      ? profile.thinkingTokens
      : Math.max(THOUGHT_WHEN_ASKED, profile.thinkingTokens) * EFFORT[effort];
  return Math.round(Math.min(THOUGHT_MAX, usual * Math.exp(difficulty / HARDER_FOLD)));
}

/**
 * In USD, before the operator's markup; in tokens: the prompt, what of it is likely to be held in the provider's cache,
 * and what is produced, thoughts apart.
 */
export function expectedCost(
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

/** The highest tier that the prompt passes, whole. */
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

/** Live health of a card as the choice of a model reads it; the gateway hands it in. */
export interface CardHealth {
  /** Median of recent first tokens; null: too few were seen. */
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
  /** 0…1, recent. */
  readonly errorRate: number;
  /** The breaker is open: nothing is sent there. */
  readonly open: boolean;
}

export interface HealthView {
  /** null: nothing was seen of the card. */
  of(cardId: string): CardHealth | null;
}

/** Milliseconds to the full answer of so many tokens: from live health where it is known, else the profile's. */
export function expectedMs(
  profile: Pick<Profile, "firstTokenMs" | "tokensPerSecond">,
  seen: CardHealth | null,
  tokens: number,
): number {
  const first = seen?.firstTokenMs ?? profile.firstTokenMs;
  const speed = Math.max(1, seen?.tokensPerSecond ?? profile.tokensPerSecond);
  const ms = first + (tokens / speed) * 1000;
  return Math.round(ms * (1 + ERROR_TIME * (seen?.errorRate ?? 0)));
}

/**
 * A cost as it is weighed: by the champion's for the same request and for labelled prompts, their geometric mean. By the first
 * alone, a request on which much can be saved counts no more than a short one, and by the second alone a long one counts so
 * much that quality counts for nothing.
 */
export function weighCost(usd: number, champion: number, usual: number): number {
  return (usd + TINY) / (Math.sqrt(champion * usual) + TINY);
}

/** A time as it is weighed: 0 is the champion's, and each e-th part of it one less. */
export function weighTime(ms: number, champion: number): number {
  return Math.log((ms + 1) / (champion + 1));
}

/** The cost of an answer and the time that it takes, as expected. */
export interface Expense {
  readonly usd: number;
  readonly ms: number;
}

/** A card's model as it is known without labels. */
export interface KnownModel {
  readonly profile: Pick<Profile, "level" | "priorLevel">;
  /** The expense of its answer to a request of these lengths; null: it has no price. */
  expend(lengths: Lengths): Expense | null;
}

/** By the card's id; null: there is no such card. */
export type FindModel = (id: string) => KnownModel | null;

/** By list prices and profiles alone, for prompts that were asked once: not by how well providers are just now. */
export function makeFindModel(cards: readonly ModelCard[], lengthOf: (model: string) => number): FindModel {
  const models = new Map(cards.map((card) => [card.id, describeModel(card, lengthOf(card.id))]));
  return (id) => models.get(id) ?? null;
}

function describeModel(card: ModelCard, length: number): KnownModel {
  const { price } = card;
  const profile = findProfile(card);
  const expend = ({ promptTokens, outputTokens, difficultyLogit }: Lengths) => {
    if (price === null) return null;
    const answer = outputTokens * length;
    const thought = thoughtTokens(profile, undefined, difficultyLogit) * length;
    const usd = expectedCost(price, promptTokens, 0, answer, thought);
    return { usd, ms: expectedMs(profile, null, answer + thought) };
  };
  return { profile, expend };
}
