// The port of a selector, a rule that scores the models able to serve a request: one file each, with a row in index.ts.
import type { ModelCard } from "../core/models/card.ts";

export interface SelectorRule {
  /** Clients ask for `Router#` and this name. */
  readonly name: string;
  /** One sentence for the list of models. */
  readonly about: string;
  /** Returns the share of the best model's quality that the selector promises to keep, 0…1. */
  findPromisedShare(ask: Pick<RankAsk, "share" | "difficulty">): number;
  /**
   * The expense that it saves for less quality. Null if it saves none. A conversation switches to a model that costs less over the
   * rest of it if that is cost.
   */
  readonly saves: "cost" | "time" | null;
  /** Scores the candidates. The highest score wins; ties go by `compareBySaving`. Pure. */
  rank(candidates: Columns, ask: RankAsk): Ranking;
  /** True if `other` is good enough to be tried instead of `first`. Cost and time are compared elsewhere. */
  canReplace(other: Score, first: Score): boolean;
}

export interface Ranking {
  /** Scores the candidate in a place. */
  readonly scoreOf: (place: number) => number;
  /**
   * The places on which scores depend besides the champion and the one of the highest quality. The log keeps these and
   * the first eight by score, and a decision is repeated from them.
   */
  readonly marks: readonly number[];
}

/** The part of a request that selectors score by. */
export interface RankAsk {
  /** The share of the best quality to keep, 0…1. */
  readonly share: number;
  /** The difficulty of the request, 0…1. */
  readonly difficulty: number;
  /** The share of labelled prompts at least as unlike the rest as the request, 0…1. Without labels, its `sure`. */
  readonly likeness: number;
  /** True if there are labels. */
  readonly isTaught: boolean;
  /** The lead in quality that another model needs over the champion. */
  readonly margin: number;
  /** The mean cost of the champion's answers to labelled prompts. */
  readonly usualCostUsd: number;
  /** The quality that the champion's cost is worth, as far as labels show that the share is kept. Null if unknown. */
  readonly costWeight: number | null;
  /** The quality that being e times as fast as the champion is worth, on the same condition. Null if unknown. */
  readonly timeWeight: number | null;
}

/**
 * The candidates of a decision, a column for each number that they are scored by. All are of one length. Quality, cost
 * and time are as exact as they are shown, so that what is chosen is also the best of what is seen.
 */
export interface Columns {
  /** The predicted probability of a good answer. */
  readonly quality: Float64Array;
  /** The overall quality, whatever the request. */
  readonly level: Float64Array;
  /** Where the quality comes from, as a place in SOURCES. */
  readonly source: Uint8Array;
  /** Returns the cost of a candidate's answer, in USD. Computed when asked for: few of the candidates are compared by it. */
  costAt(place: number): number;
  /** Returns the time until a candidate's answer is complete, in milliseconds. Computed when asked for, too. */
  latencyAt(place: number): number;
  /** Returns the standard deviation of a candidate's quality. Computed when asked for: it takes longer than a column. */
  doubtAt(place: number): number;
  /** The highest comes first. Comparable only within one decision. */
  readonly score: Float64Array;
  /** The place of the candidate with the highest overall level. −1 if there are none. */
  readonly champion: number;
  cardAt(place: number): CardIdentity;
}

type CardIdentity = Pick<ModelCard, "id" | "created">;

/** One candidate. */
export interface Score {
  readonly quality: number;
  /** About one standard deviation below `quality`. */
  readonly qualityLow: number;
  readonly score: number;
}

interface RankOrder {
  readonly first: readonly number[];
  readonly marks: readonly number[];
}

/** Scores all candidates, and returns the places of the first few in order, without sorting the others. */
export function rankAll(
  { rank }: Pick<SelectorRule, "rank">,
  candidates: Columns,
  ask: RankAsk,
  count: number,
): RankOrder {
  const { score } = candidates;
  const { scoreOf, marks } = rank(candidates, ask);
  for (let place = 0; place < score.length; place++) score[place] = scoreOf(place);
  const first: number[] = [];
  for (let one = 0; one < score.length; one++) {
    const last = first.length - 1;
    if (last + 1 === count && (score[one] ?? 0) < (score[first[last] ?? 0] ?? 0)) continue;
    insertByScore(first, one, candidates, count);
  }
  return { first, marks };
}

/** Inserts a place into the first `count` ones, which are in order. */
function insertByScore(first: number[], one: number, candidates: Columns, count: number): void {
  let place = first.length;
  for (; place > 0; place--) {
    const before = first[place - 1];
    if (before === undefined || compareByScore(candidates, before, one) < 0) break;
    if (place < count) first[place] = before;
  }
  if (place < count) first[place] = one;
}

/** Returns the place of the candidate with the highest overall level. */
export function findChampion({ level, cardAt }: Pick<Columns, "level" | "cardAt">): number {
  let champion = level.length - 1;
  for (let place = champion - 1; place >= 0; place--) {
    const ahead = (level[place] ?? 0) - (level[champion] ?? 0);
    if (ahead > 0 || (ahead === 0 && compareIds(cardAt(place), cardAt(champion)) < 0)) champion = place;
  }
  return champion;
}

/** Sorts best first. Never 0 for two models, so the catalogue's order doesn't matter. */
export function compareByScore(candidates: Columns, a: number, b: number): number {
  const { score } = candidates;
  return (score[b] ?? 0) - (score[a] ?? 0) || compareBySaving(candidates, a, b);
}

/**
 * Sorts the cheaper first, of equally dear models the faster, then the better, then the newer one. So of the models
 * above a floor of quality, none beats the first on quality, cost and time together.
 */
export function compareBySaving(
  { quality, costAt, latencyAt, cardAt }: Columns,
  a: number,
  b: number,
): number {
  return (
    costAt(a) - costAt(b) ||
    latencyAt(a) - latencyAt(b) ||
    (quality[b] ?? 0) - (quality[a] ?? 0) ||
    cardAt(b).created - cardAt(a).created ||
    compareIds(cardAt(a), cardAt(b))
  );
}

export function compareIds({ id: a }: Pick<CardIdentity, "id">, { id: b }: Pick<CardIdentity, "id">): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
