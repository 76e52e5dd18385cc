// The port of a selector: a rule that scores the models which can serve a request. One file each, with a row in index.ts.
import type { ModelCard } from "../core/card.ts";

export interface SelectorRule {
  /** Clients ask for `Router#` and this. */
  readonly name: string;
  /** One sentence for the list of models. */
  readonly about: string;
  /** The share of the best model's quality that it promises to keep, 0…1. */
  promise(ask: Pick<RankAsk, "share" | "difficulty">): number;
  /** True if a conversation changes its model for one that costs less over the rest of it. */
  readonly savesMoney: boolean;
  /**
   * A score for each candidate, by its row; the highest comes first, of equal ones the cheaper, then the newer. Pure. The
   * log keeps the first eight by score, the champion and the one of the highest quality, and a decision is repeated from
   * those: a score may be measured against no others.
   */
  rank(candidates: Candidates, ask: RankAsk): Float64Array;
  /** True if another is good enough to be tried out in place of the first; its cost and time are compared elsewhere. */
  canReplace(other: Scored, first: Scored): boolean;
}

/** The part of a request that selectors score by. */
export interface RankAsk {
  /** The share of the best quality that is to be kept, 0…1. */
  readonly share: number;
  /** The difficulty of the request, 0…1. */
  readonly difficulty: number;
  /** The share of what is known that was as unlike the rest as this request is, 0…1. */
  readonly likeness: number;
  /** The lead that another model needs over the champion; null: no lead pays off on the labels. */
  readonly margin: number | null;
  /** The mean cost of the champion's answers to labelled prompts. */
  readonly usualCostUsd: number;
  /** The price in quality of the champion's cost, of which labels bear out that the share is kept; null: they don't tell. */
  readonly costWeight: number | null;
  /** The same of time: of taking e times as long as the champion. */
  readonly timeWeight: number | null;
}

/** Candidates in columns, of which the first `size` rows count: as objects, ten thousand of them take twice as long. */
export interface Candidates {
  readonly size: number;
  readonly cards: readonly Pick<ModelCard, "id" | "created">[];
  /** The predicted probability of a good answer. */
  readonly quality: Float64Array;
  /** About one standard deviation below it. */
  readonly qualityLow: Float64Array;
  /** The overall level, whatever the request. */
  readonly level: Float64Array;
  readonly costUsd: Float64Array;
  /** Until the answer is complete. */
  readonly latencyMs: Float64Array;
}

/** One candidate once it has a score. */
export interface Scored {
  readonly quality: number;
  readonly qualityLow: number;
  readonly score: number;
}

/** The place of the one whose overall level is the highest. */
export function findChampion({ cards, size, level }: Candidates): number {
  let champion = 0;
  for (let at = 1; at < size; at++) {
    const ahead = (level[at] ?? 0) - (level[champion] ?? 0);
    if (ahead > 0 || (ahead === 0 && compareIds(cards[at]?.id, cards[champion]?.id) < 0)) champion = at;
  }
  return champion;
}

/** Compares candidates by their places, best first. Never 0 for two models: the order of the catalogue doesn't matter. */
export function compareByScore({ cards, costUsd }: Candidates, scores: Float64Array) {
  return (a: number, b: number): number =>
    (scores[b] ?? 0) - (scores[a] ?? 0) ||
    (costUsd[a] ?? 0) - (costUsd[b] ?? 0) ||
    (cards[b]?.created ?? 0) - (cards[a]?.created ?? 0) ||
    compareIds(cards[a]?.id, cards[b]?.id);
}

export function compareIds(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
