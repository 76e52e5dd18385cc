// Predictions for all models that can serve a request, in columns: how good each answer is, what it costs, how long it takes.
import type { ModelCard } from "../core/card.ts";
import { type Asked, type Candidate, findRemoval, UNHEALTHY } from "./candidate.ts";
import { expectedCost, expectedMs, thoughtTokens } from "./expense.ts";
import type { CardHealth } from "./health-view.ts";
import { findProfile, findProfiles, type Profile } from "./profiles.ts";
import { QUALITY_MAX, writeQuality } from "./quality.ts";
import type { Candidates } from "./selector.ts";

/** A model that can't serve the request. */
export interface Removed {
  readonly card: ModelCard;
  readonly profile: Profile;
  readonly seen: CardHealth | null;
  readonly removedBy: string;
}

/** Tells the models that can serve a request from the others. */
export function sift(cards: readonly ModelCard[], asked: Asked) {
  const able = new CandidateTable(cards.length, asked);
  const out: Removed[] = [];
  const profiles = findProfiles(cards);
  for (let at = 0; at < cards.length; at++) {
    const [card, profile] = [cards[at], profiles[at]];
    if (card === undefined || profile === undefined) continue;
    const seen = asked.health.of(card.id);
    const removedBy = findRemoval(card, seen, asked);
    if (removedBy === null) able.add(card, profile, seen);
    else out.push({ card, profile, seen, removedBy });
  }
  able.lower();
  if (able.size > 0) return { able, out };
  // If only unhealthy models are left, one of them may be well again.
  const isUnhealthy = ({ removedBy }: Removed) => removedBy === UNHEALTHY;
  for (const { card, profile, seen } of out.filter(isUnhealthy)) able.add(card, profile, seen);
  able.lower();
  return { able, out: out.filter((one) => !isUnhealthy(one)) };
}

export class CandidateTable implements Candidates {
  readonly cards: ModelCard[] = [];
  readonly quality: Float64Array;
  readonly qualityLow: Float64Array;
  readonly level: Float64Array;
  readonly costUsd: Float64Array;
  readonly latencyMs: Float64Array;
  readonly #tokens: Float64Array;
  readonly #answers: Float64Array;
  readonly #thoughts: Float64Array;
  readonly #asked: Asked;

  constructor(sizeMax: number, asked: Asked) {
    const column = () => new Float64Array(sizeMax);
    this.quality = column();
    this.qualityLow = column();
    this.level = column();
    this.costUsd = column();
    this.latencyMs = column();
    this.#tokens = column();
    this.#answers = column();
    this.#thoughts = column();
    this.#asked = asked;
  }

  get size(): number {
    return this.cards.length;
  }

  add(card: ModelCard, profile: Profile, seen: CardHealth | null): void {
    const { prediction, outputTokensMax, effort, cached, learned, quality } = this.#asked;
    const at = this.cards.push(card) - 1;
    writeQuality(this, at, profile, learned.shiftOf(card.id, prediction), quality);
    if (seen !== null) this.#expectFailures(at, seen.errorRate);
    const length = learned.lengthOf(card.id);
    const thought = thoughtTokens(profile, effort, prediction.difficultyLogit);
    const answer = Math.min(prediction.outputTokens * length, outputTokensMax ?? Number.POSITIVE_INFINITY);
    const held = cached?.cardId === card.id ? cached.tokens : 0;
    this.#answers[at] = answer;
    this.#thoughts[at] = thought * length;
    this.costUsd[at] = this.costWhenHeld(at, held);
    this.latencyMs[at] = expectedMs(profile, seen, answer + thought * length);
    this.#tokens[at] = prediction.outputTokens + thought;
  }

  /** The cost if so many of the prompt's tokens are in the provider's cache; 0 without a price. */
  costWhenHeld(at: number, heldTokens: number): number {
    const price = this.cards[at]?.price;
    if (!price) return 0;
    const [answer, thought] = [this.#answers[at] ?? 0, this.#thoughts[at] ?? 0];
    return expectedCost(price, this.#asked.promptTokens, heldTokens, answer, thought);
  }

  /** Where the best would be surer than sure, all come down alike: their differences are what decides. */
  lower(): void {
    let highest = QUALITY_MAX;
    for (let at = 0; at < this.size; at++) highest = Math.max(highest, this.quality[at] ?? 0);
    if (highest === QUALITY_MAX) return;
    for (const column of [this.quality, this.qualityLow, this.level])
      for (let at = 0; at < this.size; at++)
        column[at] = Math.max(0, (column[at] ?? 0) - (highest - QUALITY_MAX));
  }

  /** The candidate at a place, with its score, or with what removed it. */
  candidate(at: number, score: number, removedBy: string | null = null): Candidate {
    const card = this.cards[at];
    if (card === undefined) throw new Error("There is no such candidate.");
    return {
      card,
      eligible: removedBy === null,
      removedBy,
      quality: this.quality[at] ?? 0,
      qualityLow: this.qualityLow[at] ?? 0,
      costUsd: card.price === null ? null : (this.costUsd[at] ?? 0),
      latencyMs: this.latencyMs[at] ?? 0,
      ...this.#high(at, card),
      tokens: this.#tokens[at] ?? 0,
      level: this.level[at] ?? 0,
      score,
    };
  }

  /** The cost and the time of an answer that is longer than expected by a standard deviation. */
  #high(at: number, card: ModelCard): Pick<Candidate, "costHighUsd" | "latencyHighMs"> {
    const { learned, promptTokens, cached, health } = this.#asked;
    const times = Math.exp(learned.lengthSpreadOf(card.id));
    const answer = times * (this.#answers[at] ?? 0);
    const thought = times * (this.#thoughts[at] ?? 0);
    const held = cached?.cardId === card.id ? cached.tokens : 0;
    const { price } = card;
    return {
      costHighUsd: price === null ? null : expectedCost(price, promptTokens, held, answer, thought),
      latencyHighMs: expectedMs(findProfile(card), health.of(card.id), answer + thought),
    };
  }

  /** An answer that never comes isn't good. */
  #expectFailures(at: number, errorRate: number): void {
    const works = 1 - Math.min(0.9, errorRate);
    for (const column of [this.quality, this.qualityLow, this.level]) column[at] = (column[at] ?? 0) * works;
  }
}
