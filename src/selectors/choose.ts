// A selector's choice: the models that can serve a request, ranked by one prediction, with the reasons.
import type { ModelCard } from "../core/card.ts";
import type { Skill } from "../core/skill.ts";
import { type Asked, type ChooseInput, prepareAsk } from "./ask.ts";
import { type Candidate, makeCandidate } from "./candidate.ts";
import { Estimates } from "./estimates.ts";
import { readFeatures } from "./features.ts";
import type { LeanedOn } from "./learning/learned.ts";
import type { Parameters } from "./parameters.ts";
import { type Prediction, predict } from "./predictor.ts";
import { compareByScore, compareIds, rankAll, type SelectorRule } from "./selector.ts";
import { sift } from "./sift.ts";
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
  readonly #able: Estimates;
  readonly #out: Pick<ReturnType<typeof sift>, "removed" | "reasons">;
  /** The place of the one that comes first, whatever the scores are. −1 if there is none. */
  readonly #front: number;
  #candidates: readonly Candidate[] | undefined;

  constructor(selector: SelectorRule, asked: Asked) {
    const sifted = sift(asked);
    const able = new Estimates(asked, sifted.able);
    const first = rankAll(selector, able, asked.ask, FIRST_KEPT);
    const { pin } = asked.rules;
    const pinned = pin === null ? -1 : able.find(pin.id);
    const staying = pinned < 0 ? findStaying(able, first[0], selector) : -1;
    this.selector = selector;
    this.asked = asked;
    this.#able = able;
    this.#out = sifted;
    this.#front = Math.max(pinned, staying);
    this.foremost = this.#pickForemost(first);
    this.choice = this.foremost[0]?.card ?? null;
    this.pinned = pinned < 0 ? null : (pin?.skill ?? null);
    this.isStaying = staying >= 0;
    this.leanedOn = asked.learned.leanedOn(asked.prediction);
    this.removed = countRemovals(sifted.reasons);
  }

  /** All candidates, best first, removed ones last. Made on first use: sorting thousands takes longer than choosing. */
  get candidates(): readonly Candidate[] {
    if (this.#candidates !== undefined) return this.#candidates;
    const { removed, reasons } = this.#out;
    const estimates = new Estimates(this.asked, removed);
    const out = reasons.map((reason, place) => makeCandidate(estimates, place, reason));
    out.sort((a, b) => compareIds(a.card, b.card));
    this.#candidates = [...this.#sortAble().map(this.#toCandidate), ...out];
    return this.#candidates;
  }

  /** Yields all that can serve, best first. Only the few plans that go beyond the first ones sort thousands. */
  *inOrder(): Iterable<ModelCard> {
    for (const { card } of this.foremost.slice(0, FIRST_KEPT)) yield card;
    if (this.#able.rows.length <= FIRST_KEPT) return;
    for (const place of this.#sortAble().slice(FIRST_KEPT)) yield this.#able.cardAt(place);
  }

  #sortAble(): readonly number[] {
    return [...this.#able.rows.keys()].sort(this.#compare);
  }

  #pickForemost(byScore: readonly number[]): readonly Candidate[] {
    const [front, { champion, quality }] = [this.#front, this.#able];
    const first = front < 0 ? byScore : [front, ...byScore.filter((place) => place !== front)];
    const kept = new Set(first.slice(0, FIRST_KEPT));
    if (champion >= 0) kept.add(champion);
    let highest = 0;
    for (let place = 1; place < quality.length; place++) {
      const ahead = (quality[place] ?? 0) - (quality[highest] ?? 0);
      if (ahead > 0 || (ahead === 0 && this.#compare(place, highest) < 0)) highest = place;
    }
    if (quality.length > 0) kept.add(highest);
    return [...kept].sort(this.#compare).map(this.#toCandidate);
  }

  readonly #toCandidate = (place: number): Candidate => makeCandidate(this.#able, place, null);

  readonly #compare = (a: number, b: number): number =>
    Number(b === this.#front) - Number(a === this.#front) || compareByScore(this.#able, a, b);
}

function countRemovals(reasons: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
