// A model as a candidate for one request: how good its answer is likely to be, what it costs, how long it takes, or the
// reason why it can't serve.
import { can, type ModelCard } from "../core/card.ts";
import type { Asked } from "./ask.ts";
import { type CardHealth, expectedCost, expectedMs, thoughtTokens } from "./expense.ts";
import { findProfiles, type Profile } from "./profiles.ts";
import { predictQuality, QUALITY_MAX } from "./quality.ts";
import { findExclusion } from "./rules.ts";
import type { Scored } from "./selector.ts";

const UNHEALTHY = "unhealthy";
/** The highest share of errors that is believed. */
const ERROR_RATE_MAX = 0.9;

export class Candidate implements Scored {
  readonly card: ModelCard;
  /**
   * The reason why it can't serve: "denied", "rule:" and the kind of task whose rule did, "not_allowed", "unpriced", "context",
   * "image_urls", "unhealthy", or the capability it lacks ("tools" also where a call is forced and it can't be).
   */
  readonly removedBy: string | null;
  quality: number;
  qualityLow: number;
  level: number;
  readonly costUsd: number | null;
  readonly latencyMs: number;
  /** The predicted length of the answer and its thoughts: real lengths are compared with it. */
  readonly tokens: number;
  score = 0;
  readonly #profile: Profile;
  readonly #seen: CardHealth | null;
  readonly #asked: Asked;
  readonly #answer: number;
  readonly #thought: number;

  constructor(
    { card, profile, seen, removedBy }: Omit<Removed, "removedBy"> & Pick<Candidate, "removedBy">,
    asked: Asked,
  ) {
    const { prediction, outputTokensMax, input, learned } = asked;
    this.card = card;
    this.removedBy = removedBy;
    this.#profile = profile;
    this.#seen = seen;
    this.#asked = asked;
    const shift = learned.shiftOf(card.id, prediction);
    const { quality, qualityLow, level } = predictQuality(profile, shift, asked.quality);
    // An answer that never comes isn't good.
    const works = 1 - Math.min(ERROR_RATE_MAX, seen?.errorRate ?? 0);
    this.quality = quality * works;
    this.qualityLow = qualityLow * works;
    this.level = level * works;
    const length = learned.lengthOf(card.id);
    const thought = thoughtTokens(profile, input.request.reasoning_effort, prediction.difficultyLogit);
    this.#answer = Math.min(prediction.outputTokens * length, outputTokensMax ?? Number.POSITIVE_INFINITY);
    this.#thought = thought * length;
    this.costUsd = this.costWhenHeld(this.#held);
    this.latencyMs = expectedMs(profile, seen, this.#answer + this.#thought);
    this.tokens = prediction.outputTokens + thought;
  }

  get eligible(): boolean {
    return this.removedBy === null;
  }

  /** The tokens of the prompt that are likely to be in its provider's cache. */
  get #held(): number {
    const { cached } = this.#asked;
    return cached?.cardId === this.card.id ? cached.tokens : 0;
  }

  /** An answer that is longer than expected by a standard deviation is this many times as long. */
  get #longer(): number {
    return Math.exp(this.#asked.learned.lengthSpreadOf(this.card.id));
  }

  /** The cost of an answer that is longer than expected by a standard deviation; null: it has no price. */
  get costHighUsd(): number | null {
    return this.costWhenHeld(this.#held, this.#longer);
  }

  /** The time of such an answer. */
  get latencyHighMs(): number {
    const times = this.#longer;
    return expectedMs(this.#profile, this.#seen, times * this.#answer + times * this.#thought);
  }

  /** The cost if so many of the prompt's tokens are in the provider's cache, and the answer is so many times as long. */
  costWhenHeld(heldTokens: number, times = 1): number | null {
    const { price } = this.card;
    if (price === null) return null;
    return expectedCost(
      price,
      this.#asked.promptTokens,
      heldTokens,
      times * this.#answer,
      times * this.#thought,
    );
  }
}

/** A model that can't serve the request; a candidate is made of it when it is asked for. */
export interface Removed {
  readonly card: ModelCard;
  readonly profile: Profile;
  readonly seen: CardHealth | null;
  readonly removedBy: string;
}

/** Tells the models that can serve a request from the others. */
export function sift(cards: readonly ModelCard[], asked: Asked) {
  const able: Candidate[] = [];
  const removed: Removed[] = [];
  const profiles = findProfiles(cards);
  for (let at = 0; at < cards.length; at++) {
    const [card, profile] = [cards[at], profiles[at]];
    if (card === undefined || profile === undefined) continue;
    const seen = asked.health.of(card.id);
    const removedBy = findRemoval(card, seen, asked);
    if (removedBy === null) able.push(new Candidate({ card, profile, seen, removedBy }, asked));
    else removed.push({ card, profile, seen, removedBy });
  }
  // If only unhealthy models are left, one of them may be well again.
  const again = able.length > 0 ? [] : removed.filter(({ removedBy }) => removedBy === UNHEALTHY);
  able.push(...again.map((one) => new Candidate({ ...one, removedBy: null }, asked)));
  lower(able);
  return { able, removed: again.length > 0 ? removed.filter((one) => !again.includes(one)) : removed };
}

/** Where the best would be surer than sure, all come down alike: their differences are what decides. */
export function lower(candidates: readonly Candidate[]): void {
  let highest = QUALITY_MAX;
  for (const { quality } of candidates) highest = Math.max(highest, quality);
  if (highest === QUALITY_MAX) return;
  const off = highest - QUALITY_MAX;
  for (const one of candidates) {
    one.quality = Math.max(0, one.quality - off);
    one.qualityLow = Math.max(0, one.qualityLow - off);
    one.level = Math.max(0, one.level - off);
  }
}

/** The first reason why it can't serve; null: it can. */
function findRemoval(card: ModelCard, seen: CardHealth | null, asked: Asked): string | null {
  const { allowed, takesImageUrls } = asked.input;
  return (
    findExclusion(asked.rules, card.id) ??
    (allowed?.(card.id) === false ? "not_allowed" : null) ??
    findMisfit(card, asked) ??
    (takesImageUrls?.(card) === false ? "image_urls" : null) ??
    (seen?.open === true ? UNHEALTHY : null)
  );
}

/** The part of the request that it can't serve, or can't be billed for. */
function findMisfit(card: ModelCard, { needed, promptTokens, outputTokensMax = 0 }: Asked): string | null {
  if (card.price === null) return "unpriced";
  for (const need of needed) if (!can(card, need)) return need === "tools_auto" ? "tools" : need;
  const room = card.contextTokensMax ?? Number.POSITIVE_INFINITY;
  return promptTokens + outputTokensMax > room ? "context" : null;
}
