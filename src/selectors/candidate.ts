// A model as a candidate for one request: the expected quality, cost and time of its answer, or the reason why it can't
// serve.
import { can, type ModelCard } from "../core/card.ts";
import type { Asked } from "./ask.ts";
import { type CardHealth, estimateCost, estimateMs, estimateThoughtTokens } from "./expense.ts";
import { findProfiles, type Profile } from "./profiles.ts";
import { estimateDoubt, predictQuality, QUALITY_MAX, QUALITY_MIN } from "./quality.ts";
import { findExclusion } from "./rules.ts";
import type { Scored } from "./selector.ts";

const UNHEALTHY = "unhealthy";
/** Observed error rates above this are not believed. */
const ERROR_RATE_MAX = 0.9;

export class Candidate implements Scored {
  readonly card: ModelCard;
  /**
   * The reason why it can't serve: "denied", "rule:" and the rule's kind of task, "not_allowed", "unpriced", "context",
   * "image_urls", "unhealthy", or the missing capability ("tools" also if it can't be forced to call one).
   */
  readonly removedBy: string | null;
  quality: number;
  level: number;
  readonly costUsd: number | null;
  readonly latencyMs: number;
  /** The predicted length of the answer and its thinking, with which actual lengths are compared. */
  readonly tokens: number;
  score = 0;
  readonly #profile: Profile;
  readonly #seen: CardHealth | null;
  readonly #asked: Asked;
  readonly #works: number;
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
    const { quality, level } = predictQuality(profile, shift, asked.quality);
    // An answer that fails isn't good.
    this.#works = 1 - Math.min(ERROR_RATE_MAX, seen?.errorRate ?? 0);
    this.quality = quality * this.#works;
    this.level = level * this.#works;
    const length = learned.lengthOf(card.id);
    const thought = estimateThoughtTokens(
      profile,
      input.request.reasoning_effort,
      prediction.difficultyLogit,
    );
    this.#answer = Math.min(prediction.outputTokens * length, outputTokensMax ?? Number.POSITIVE_INFINITY);
    this.#thought = thought * length;
    this.costUsd = this.costWhenHeld(this.#held);
    this.latencyMs = estimateMs(profile, seen, this.#answer + this.#thought);
    this.tokens = prediction.outputTokens + thought;
  }

  get eligible(): boolean {
    return this.removedBy === null;
  }

  get qualityLow(): number {
    const { learned, prediction, quality } = this.#asked;
    const doubt = estimateDoubt(this.#profile, learned.shiftOf(this.card.id, prediction), quality);
    const low = Math.max(QUALITY_MIN * this.#works, this.quality - doubt * this.#works);
    return Math.min(this.quality, low);
  }

  /** Tokens of the prompt that are likely to be in the provider's cache. */
  get #held(): number {
    const { cached } = this.#asked;
    return cached?.cardId === this.card.id ? cached.tokens : 0;
  }

  /** The length of an answer one standard deviation longer than expected, relative to the expected one. */
  get #longer(): number {
    return Math.exp(this.#asked.learned.lengthSpreadOf(this.card.id));
  }

  /** The cost of an answer one standard deviation longer than expected. Null if the card has no price. */
  get costHighUsd(): number | null {
    return this.costWhenHeld(this.#held, this.#longer);
  }

  /** The time of such an answer. */
  get latencyHighMs(): number {
    const times = this.#longer;
    return estimateMs(this.#profile, this.#seen, times * this.#answer + times * this.#thought);
  }

  /** Returns the cost with this many prompt tokens in the provider's cache, of an answer `times` as long. */
  costWhenHeld(heldTokens: number, times = 1): number | null {
    const { price } = this.card;
    if (price === null) return null;
    return estimateCost(
      price,
      this.#asked.promptTokens,
      heldTokens,
      times * this.#answer,
      times * this.#thought,
    );
  }
}

/** A model that can't serve the request. It is made a candidate only if asked for. */
export interface Removed {
  readonly card: ModelCard;
  readonly profile: Profile;
  readonly seen: CardHealth | null;
  readonly removedBy: string;
}

/** Separates the models that can serve a request from the others. */
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
  // If only unhealthy models are left, one of them may have recovered.
  const again = able.length > 0 ? [] : removed.filter(({ removedBy }) => removedBy === UNHEALTHY);
  able.push(...again.map((one) => new Candidate({ ...one, removedBy: null }, asked)));
  lower(able);
  return { able, removed: again.length > 0 ? removed.filter((one) => !again.includes(one)) : removed };
}

/** If the best quality is above the maximum, lowers all by the same amount, because their differences decide. */
export function lower(candidates: readonly Candidate[]): void {
  let highest = QUALITY_MAX;
  for (const { quality } of candidates) highest = Math.max(highest, quality);
  if (highest === QUALITY_MAX) return;
  const off = highest - QUALITY_MAX;
  for (const one of candidates) {
    one.quality = Math.max(0, one.quality - off);
    one.level = Math.max(0, one.level - off);
  }
}

/** Returns the first reason why the card can't serve. Null if it can. */
function findRemoval(card: ModelCard, seen: CardHealth | null, asked: Asked): string | null {
  const { allowed, takesImageUrls } = asked.input;
  return (
    findExclusion(asked.rules, card.id) ??
    (allowed?.(card.id) === false ? "not_allowed" : null) ??
    findMisfit(card, asked) ??
    (takesImageUrls?.(card) === false ? "image_urls" : null) ??
    (seen?.isOpen === true ? UNHEALTHY : null)
  );
}

/** Returns the part of the request that the card can't serve, or "unpriced" if it can't be billed. Null if it fits. */
function findMisfit(card: ModelCard, { needed, promptTokens, outputTokensMax = 0 }: Asked): string | null {
  if (card.price === null) return "unpriced";
  for (const need of needed) if (!can(card, need)) return need === "tools_auto" ? "tools" : need;
  const room = card.contextTokensMax ?? Number.POSITIVE_INFINITY;
  return promptTokens + outputTokensMax > room ? "context" : null;
}
