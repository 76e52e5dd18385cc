// A selector's choice: the models that can serve a request, ranked by one prediction, with the reasons.
import type { ModelCard } from "../core/card.ts";
import type { Skill } from "../core/skill.ts";
import { type Asked, type ChooseInput, prepareAsk } from "./ask.ts";
import { Candidate, lower, type Removed, sift } from "./candidate.ts";
import { readFeatures } from "./features.ts";
import type { LeanedOn } from "./learning/learned.ts";
import type { Parameters } from "./parameters.ts";
import { type Prediction, predict } from "./predictor.ts";
import { compareByScore, compareIds, findChampion, pickFirst, type SelectorRule } from "./selector.ts";
import { findStaying } from "./staying.ts";

/** `foremost` holds this many by score, the champion, and the candidate of the highest quality. */
export const FIRST_KEPT = 8;

/** Deterministic: the same input gives the same choice. One pass over ten thousand cards takes about a millisecond. */
export function choose(selector: SelectorRule, input: ChooseInput, parameters?: Parameters): Choice {
  const features = readFeatures(input.request);
  return decide(selector, input, predict(features, parameters), features.promptTokens);
}

/** Chooses by an existing prediction, as when a decision is repeated. */
export function decide(
  selector: SelectorRule,
  input: ChooseInput,
  prediction: Prediction,
  promptTokens: number,
): Choice {
  return new Choice(selector, prepareAsk(input, prediction, promptTokens));
}

export class Choice {
  readonly selector: SelectorRule;
  readonly asked: Asked;
  /** Null if none can serve the request. */
  readonly choice: ModelCard | null;
  /** The kind of task whose pin decided. Null if none did. */
  readonly pinned: Skill | null;
  /** True if the conversation stays with its model, whatever the scores are. */
  readonly isStaying: boolean;
  readonly leanedOn: readonly LeanedOn[];
  /** The number of models removed, by reason. */
  readonly removed: Readonly<Record<string, number>>;
  /** The first by score and those that scores depend on, best first. The log keeps these. */
  readonly foremost: readonly Candidate[];
  readonly #able: readonly Candidate[];
  readonly #out: readonly Removed[];
  /** Comes first, whatever the scores are. */
  readonly #front: Candidate | undefined;
  #candidates: readonly Candidate[] | undefined;

  constructor(selector: SelectorRule, asked: Asked) {
    const { able, removed } = sift(asked.input.cards, asked);
    const score = selector.rank(able, asked.ask);
    for (const one of able) one.score = score(one);
    const { pin } = asked.rules;
    const pinned = pin === null ? undefined : able.find(({ card }) => card.id === pin.id);
    const staying = pinned === undefined ? findStaying(able, selector, asked) : undefined;
    this.selector = selector;
    this.asked = asked;
    this.#able = able;
    this.#out = removed;
    this.#front = pinned ?? staying;
    this.foremost = this.#pickForemost();
    this.choice = this.foremost[0]?.card ?? null;
    this.pinned = pinned === undefined ? null : (pin?.skill ?? null);
    this.isStaying = staying !== undefined;
    this.leanedOn = asked.learned.leanedOn(asked.prediction);
    this.removed = countRemovals(removed);
  }

  /** All candidates, best first, removed ones last. Made on first use: sorting thousands takes longer than choosing. */
  get candidates(): readonly Candidate[] {
    if (this.#candidates !== undefined) return this.#candidates;
    const out = this.#out.map((one) => new Candidate(one, this.asked));
    lower(out);
    this.#candidates = [...this.#able.toSorted(this.#compare), ...out.sort(compareIds)];
    return this.#candidates;
  }

  /** Yields all that can serve, best first. Only the few plans that go beyond the first ones sort thousands. */
  *inOrder(): Iterable<ModelCard> {
    for (const { card } of this.foremost.slice(0, FIRST_KEPT)) yield card;
    if (this.#able.length <= FIRST_KEPT) return;
    for (const { card } of this.#able.toSorted(this.#compare).slice(FIRST_KEPT)) yield card;
  }

  #pickForemost(): readonly Candidate[] {
    const [able, front] = [this.#able, this.#front];
    const byScore = pickFirst(able, FIRST_KEPT);
    const first = front === undefined ? byScore : [front, ...byScore.filter((one) => one !== front)];
    const kept = new Set(first.slice(0, FIRST_KEPT));
    const champion = findChampion(able);
    if (champion !== undefined) kept.add(champion);
    let highest = able[0];
    for (const one of able) {
      const ahead = one.quality - (highest?.quality ?? 0);
      if (ahead > 0 || (ahead === 0 && highest && this.#compare(one, highest) < 0)) highest = one;
    }
    if (highest !== undefined) kept.add(highest);
    return [...kept].sort(this.#compare);
  }

  readonly #compare = (a: Candidate, b: Candidate): number =>
    Number(b === this.#front) - Number(a === this.#front) || compareByScore(a, b);
}

function countRemovals(out: readonly Removed[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { removedBy } of out) counts[removedBy] = (counts[removedBy] ?? 0) + 1;
  return counts;
}
