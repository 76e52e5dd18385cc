// The port of a selector, a rule that scores the models able to serve a request: one file each, with a row in index.ts.
import type { ModelCard } from "../core/card.ts";

export interface SelectorRule {
  /** Clients ask for `Router#` and this name. */
  readonly name: string;
  /** One sentence for the list of models. */
  readonly about: string;
  /** The share of the best model's quality that it promises to keep, 0…1. */
  promise(ask: Pick<RankAsk, "share" | "difficulty">): number;
  /** True if a conversation switches to a model that costs less over the rest of it. */
  readonly savesMoney: boolean;
  /**
   * Returns a function that scores each candidate. The highest score wins; ties go to the cheaper, then the newer
   * model. Pure. The log keeps the first eight by score, the champion and the one of the highest quality, and a
   * decision is repeated from those, so a score may depend on no others.
   */
  rank(candidates: readonly Rankable[], ask: RankAsk): (one: Rankable) => number;
  /** True if `other` is good enough to be tried instead of `first`. Cost and time are compared elsewhere. */
  canReplace(other: Scored, first: Scored): boolean;
}

/** The part of a request that selectors score by. */
export interface RankAsk {
  /** The share of the best quality to keep, 0…1. */
  readonly share: number;
  /** The difficulty of the request, 0…1. */
  readonly difficulty: number;
  /** The share of labelled prompts at least as unlike the rest as the request, 0…1. Without labels, its `sure`. */
  readonly likeness: number;
  /** The lead in quality that another model needs over the champion. */
  readonly margin: number;
  /** The mean cost of the champion's answers to labelled prompts. */
  readonly usualCostUsd: number;
  /** The quality that the champion's cost is worth, as far as labels show that the share is kept. Null if unknown. */
  readonly costWeight: number | null;
  /** The quality that being e times as fast as the champion is worth, on the same condition. Null if unknown. */
  readonly timeWeight: number | null;
}

/** The part of a candidate that it is scored by. */
export interface Rankable {
  readonly card: Pick<ModelCard, "id" | "created">;
  /** The predicted probability of a good answer. */
  readonly quality: number;
  /** About one standard deviation below `quality`. */
  readonly qualityLow: number;
  /** The overall quality, whatever the request. */
  readonly level: number;
  /** Null if it has no price. */
  readonly costUsd: number | null;
  /** Time until the answer is complete. */
  readonly latencyMs: number;
}

export interface Scored extends Rankable {
  /** The highest comes first. Comparable only within one decision. */
  readonly score: number;
}

/** Returns the candidate with the highest overall level. */
export function findChampion<One extends Rankable>(candidates: readonly One[]): One | undefined {
  const isAhead = (one: One, other: One) =>
    one.level > other.level || (one.level === other.level && compareIds(one, other) < 0);
  let champion = candidates[0];
  for (const one of candidates) if (champion === undefined || isAhead(one, champion)) champion = one;
  return champion;
}

/** Sorts best first. Never 0 for two models, so the catalogue's order doesn't matter. */
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

/** Returns the first few in order, without sorting the others. */
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
