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
   * A function that gives each candidate its score; the highest comes first, of equal ones the cheaper, then the newer. Pure.
   * The log keeps the first eight by score, the champion and the one of the highest quality, and a decision is repeated from
   * those: a score may be measured against no others.
   */
  rank(candidates: readonly Rankable[], ask: RankAsk): (one: Rankable) => number;
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

/** The part of a candidate that it is scored by. */
export interface Rankable {
  readonly card: Pick<ModelCard, "id" | "created">;
  /** The predicted probability of a good answer. */
  readonly quality: number;
  /** About one standard deviation below it. */
  readonly qualityLow: number;
  /** The overall level, whatever the request. */
  readonly level: number;
  /** null: it has no price. */
  readonly costUsd: number | null;
  /** Until the answer is complete. */
  readonly latencyMs: number;
}

export interface Scored extends Rankable {
  /** The highest comes first; comparable within one decision only. */
  readonly score: number;
}

/** The one whose overall level is the highest. */
export function findChampion<One extends Rankable>(candidates: readonly One[]): One | undefined {
  const isAhead = (one: One, other: One) =>
    one.level > other.level || (one.level === other.level && compareIds(one, other) < 0);
  let champion = candidates[0];
  for (const one of candidates) if (champion === undefined || isAhead(one, champion)) champion = one;
  return champion;
}

/** Best first. Never 0 for two models: the order of the catalogue doesn't matter. */
export function compareByScore(a: Scored, b: Scored): number {
  return (
    b.score - a.score ||
    (a.costUsd ?? 0) - (b.costUsd ?? 0) ||
    b.card.created - a.card.created ||
    compareIds(a, b)
  );
}

export function compareIds({ card: { id: a } }: Rankable, { card: { id: b } }: Rankable): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The first few of many in order, without sorting the others. */
export function pickFirst<One extends Scored>(all: readonly One[], count: number): readonly One[] {
  const first: One[] = [];
  for (const one of all) {
    let place = first.length;
    for (; place > 0; place--) {
      const before = first[place - 1];
      if (before === undefined || before.score > one.score || compareByScore(before, one) < 0) break;
      if (place < count) first[place] = before;
    }
    if (place < count) first[place] = one;
  }
  return first;
}
