// A selector's choice: the models that can serve a request, ranked by one prediction, with the reasons.
import type { ModelCard } from "../core/card.ts";
import type { Skill } from "../core/skill.ts";
import { type Asked, type Candidate, type ChooseInput, prepareAsk } from "./candidate.ts";
import { readFeatures } from "./features.ts";
import { pickFirst } from "./first.ts";
import type { LeanedOn } from "./learning/learned.ts";
import type { Parameters } from "./parameters.ts";
import { type Prediction, predict } from "./predictor.ts";
import { compareByScore, compareIds, findChampion, type RankAsk, type SelectorRule } from "./selector.ts";
import { findStaying } from "./staying.ts";
import { CandidateTable, type Removed, sift } from "./table.ts";

/** The foremost are this many by score, the champion, and the one of the highest quality. */
export const FIRST_KEPT = 8;

/** Deterministic: the same input gives the same answer. One pass over the cards: 344 take 0.03 ms, ten thousand 0.8 ms. */
export function choose(selector: SelectorRule, input: ChooseInput, parameters?: Parameters): Choice {
  const features = readFeatures(input.request);
  return decide(selector, input, predict(features, parameters), features.promptTokens);
}

/** The choice by a prediction that is there already, as when a decision is repeated. */
export function decide(
  selector: SelectorRule,
  input: ChooseInput,
  prediction: Prediction,
  promptTokens: number,
): Choice {
  return new Choice(selector, input, prepareAsk(input, prediction, promptTokens));
}

export class Choice {
  readonly selector: SelectorRule;
  /** null: none can serve the request. */
  readonly choice: ModelCard | null;
  /** The kind of task whose pin decided; null: none did. */
  readonly pinned: Skill | null;
  /** True if the conversation stays with its model, whatever the scores are. */
  readonly stays: boolean;
  readonly prediction: Prediction;
  /** About. */
  readonly promptTokens: number;
  /** The part of the request that was scored by. */
  readonly ask: RankAsk;
  readonly leanedOn: readonly LeanedOn[];
  /** The number of models removed, by reason. */
  readonly removed: Readonly<Record<string, number>>;
  /** The first ones, and those that scores are measured against: the log keeps these. Best first. */
  readonly foremost: readonly Candidate[];
  readonly #asked: Asked;
  readonly #able: CandidateTable;
  readonly #out: readonly Removed[];
  readonly #scores: Float64Array;
  /** The scores, but the pinned one's is the highest. */
  readonly #ranks: Float64Array;
  readonly #compare: (a: number, b: number) => number;
  #candidates: readonly Candidate[] | undefined;

  constructor(selector: SelectorRule, { cards }: ChooseInput, asked: Asked) {
    const { prediction, promptTokens, rules } = asked;
    const { able, out } = sift(cards, asked);
    const scores = selector.rank(able, asked.ask);
    const { pin } = rules;
    const pinnedAt = pin === null ? -1 : able.cards.findIndex(({ id }) => id === pin.id);
    this.#asked = asked;
    this.#able = able;
    this.#out = out;
    this.#scores = scores;
    const [first = -1] = pickFirst(scores, able.size, 1, compareByScore(able, scores));
    const stayingAt = pinnedAt < 0 ? findStaying(able, first, selector, asked) : -1;
    const firstAt = Math.max(pinnedAt, stayingAt);
    this.#ranks = firstAt < 0 ? scores : scores.with(firstAt, Number.POSITIVE_INFINITY);
    this.#compare = compareByScore(able, this.#ranks);
    this.foremost = this.#foremost();
    this.selector = selector;
    this.choice = this.foremost[0]?.card ?? null;
    this.pinned = pinnedAt < 0 ? null : (pin?.skill ?? null);
    this.stays = stayingAt >= 0;
    this.prediction = prediction;
    this.promptTokens = promptTokens;
    this.ask = asked.ask;
    this.leanedOn = asked.learned.leanedOn(prediction);
    this.removed = countRemovals(out);
  }

  /** All, best first; those that were removed come last. Made on first use: sorting thousands takes longer than choosing. */
  get candidates(): readonly Candidate[] {
    this.#candidates ??= [...this.#sorted().map((at) => this.#candidate(at)), ...this.#removedOnes()];
    return this.#candidates;
  }

  /** All that can serve, best first. Few plans go beyond the first ones: only those that do pay for sorting thousands. */
  *inOrder(): Iterable<ModelCard> {
    const { cards, size } = this.#able;
    const sure = Math.min(FIRST_KEPT, size);
    for (const { card } of this.foremost.slice(0, sure)) yield card;
    if (sure === size) return;
    for (const at of this.#sorted().slice(sure)) yield* cards.slice(at, at + 1);
  }

  #foremost(): readonly Candidate[] {
    const able = this.#able;
    const kept = new Set(pickFirst(this.#ranks, able.size, FIRST_KEPT, this.#compare));
    if (able.size > 0) kept.add(findChampion(able));
    for (const at of pickFirst(able.quality, able.size, 1, this.#compare)) kept.add(at);
    return [...kept].toSorted(this.#compare).map((at) => this.#candidate(at));
  }

  #candidate(at: number): Candidate {
    return this.#able.candidate(at, this.#scores[at] ?? 0);
  }

  /** The places of all that can serve, best first. */
  #sorted(): readonly number[] {
    return [...this.#able.cards.keys()].sort(this.#compare);
  }

  #removedOnes(): readonly Candidate[] {
    const table = new CandidateTable(this.#out.length, this.#asked);
    for (const { card, profile, seen } of this.#out) table.add(card, profile, seen);
    table.lower();
    return this.#out
      .map(({ removedBy }, at) => table.candidate(at, 0, removedBy))
      .sort((a, b) => compareIds(a.card.id, b.card.id));
  }
}

function countRemovals(out: readonly Removed[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { removedBy } of out) counts[removedBy] = (counts[removedBy] ?? 0) + 1;
  return counts;
}
