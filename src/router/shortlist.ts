// A selector's choice among very many models, the fast way: alike ones are judged once, and only those that can matter are
// made candidates of. It is what `choose` gives, cut short; a test holds the two against each other.
import type { ModelCard } from "../core/card.ts";
import type { Selector } from "../core/selector.ts";
import {
  byScore,
  type Choice,
  carefulLevel,
  championOf,
  choiceAmong,
  decide,
  floorOf,
  gainFor,
  pinFor,
  scoresOf,
} from "./choose.ts";
import {
  type Asked,
  askedBy,
  type ChooseInput,
  type Considered,
  UNTAUGHT,
  unfit,
  weighed,
} from "./consider.ts";
import { GOOD_KEPT, SCORED_KEPT } from "./decision.ts";
import { featuresOf } from "./features.ts";
import { NO_HEALTH } from "./health-view.ts";
import { type Bound, boundOf } from "./lots.ts";
import { predict } from "./predictor.ts";
import type { Profile } from "./profiles.ts";
import { type Quality, qualityOf } from "./quality.ts";
import { type Group, type Place, type Roster, rosterOf } from "./roster.ts";
import { firstOf, NONE, Visit } from "./visit.ts";

export interface Shortlist {
  /** Of its candidates the first are the first of all; the others are those that scores go by, and that the log keeps. */
  readonly choice: Choice;
  /** So many of them are surely the first. */
  readonly sure: number;
  /** Whether that is all that can serve. */
  readonly isWhole: boolean;
  /** With all candidates: that takes as long as there are many. */
  readonly whole: () => Choice;
}

/** Fewer cards are looked at one by one. */
const CARDS_MIN = 64;
/** Where something was learned of one in so many, most are looked at one by one anyway: then that is half as dear. */
const KNOWN_SHARE = 2;

export function shortlist(selector: Selector, input: ChooseInput): Shortlist {
  const features = featuresOf(input.request);
  const { promptTokens } = features;
  const prediction = predict(features);
  let all: Choice | undefined;
  const whole = () => {
    all ??= decide(selector, input, prediction, promptTokens);
    return all;
  };
  if (!isWorthIt(input)) {
    const choice = whole();
    return { choice, sure: choice.candidates.length, isWhole: true, whole };
  }
  const field = new Field(selector, askedBy(input, prediction, promptTokens), input);
  return { ...field.shortlist(), whole };
}

function isWorthIt({ cards, health, skills, allowed, learned = UNTAUGHT }: ChooseInput): boolean {
  const isHealthKnown = health === undefined || health.noted !== undefined;
  const areFewKnown = learned.size * KNOWN_SHARE < cards.length;
  return cards.length >= CARDS_MIN && areFewKnown && isHealthKnown && !skills && !allowed;
}

/** All cards as one request finds them. */
class Field {
  readonly #selector: Selector;
  readonly #asked: Asked;
  readonly #input: ChooseInput;
  readonly #roster: Roster;
  /** Looked at one by one: more is known of them than their cards tell. */
  readonly #apart: ReadonlyMap<ModelCard, Place>;
  /** Ids of those among them whose health matters to the choice. */
  readonly #noted = new Set<string>();
  readonly #qualities = new Map<Profile, Quality>();
  /** Those that can serve, as far as they have to be looked at: the ones apart, and the first of the others in each group. */
  readonly #entries: Considered[] = [];
  readonly #bounds: Bound[] = [];
  /** They could, but for their health. */
  readonly #unhealthy: Considered[] = [];
  readonly #removed: Record<string, number>;
  /** How many can serve. */
  #able = 0;

  constructor(selector: Selector, asked: Asked, input: ChooseInput) {
    this.#selector = selector;
    this.#asked = asked;
    this.#input = input;
    this.#roster = rosterOf(input.cards, input.rules, asked.rules);
    this.#removed = { ...this.#roster.removed };
    this.#apart = this.#cardsApart();
    this.#enter();
  }

  /** Those whose quality, cost or health their cards alone don't tell; how fast they are of late matters to `light` alone. */
  #cardsApart(): ReadonlyMap<ModelCard, Place> {
    const { health = NO_HEALTH, learned = UNTAUGHT } = this.#input;
    const { cached } = this.#asked;
    for (const id of health.noted?.(this.#selector === "light" ? "any" : "trouble") ?? [])
      this.#noted.add(id);
    const cards = new Map<ModelCard, Place>();
    for (const ids of [this.#noted, learned.models(), cached === null ? [] : [cached.cardId]]) {
      for (const id of ids) {
        const place = this.#roster.places.get(id);
        if (place !== undefined) cards.set(place.card, place);
      }
    }
    return cards;
  }

  #enter(): void {
    for (const { sample, lots, size } of this.#roster.kinds) {
      const reason = unfit(sample, this.#asked);
      if (reason !== null) {
        this.#removed[reason] = (this.#removed[reason] ?? 0) + size;
        continue;
      }
      this.#able += size;
      for (const lot of lots)
        this.#bounds.push(boundOf(lot, this.#asked, (profile) => this.#qualityOf(profile)));
    }
    for (const place of this.#apart.values()) {
      const one = this.#known(place, this.#noted.has(place.card.id));
      if (one.eligible) this.#entries.push(one);
      else if (one.removedBy === "unhealthy") this.#unhealthy.push(one);
    }
    this.#able -= this.#unhealthy.length;
  }

  /** By what its card tells. */
  #told(card: ModelCard, { profile }: Group): Considered {
    const quality = this.#qualityOf(profile);
    return weighed({ card, profile, quality, seen: null, length: 1 }, this.#asked, null);
  }

  /** By all that is known of it, as `consider` does; the operator's rules have nothing against those in the roster. */
  #known({ card, group: { profile } }: Place, isHealthAsked = true): Considered {
    const { health = NO_HEALTH, learned = UNTAUGHT } = this.#input;
    const seen = isHealthAsked ? health.of(card.id) : null;
    const quality = learned.has(card.id)
      ? qualityOf(card.id, profile, this.#asked.prediction, learned)
      : this.#qualityOf(profile);
    const removedBy = unfit(card, this.#asked) ?? (seen?.open === true ? "unhealthy" : null);
    return weighed(
      { card, profile, quality, seen, length: learned.lengthOf(card.id) },
      this.#asked,
      removedBy,
    );
  }

  /** Reckoned once. */
  #qualityOf(profile: Profile): Quality {
    let quality = this.#qualities.get(profile);
    if (quality === undefined) {
      quality = qualityOf("", profile, this.#asked.prediction, UNTAUGHT);
      this.#qualities.set(profile, quality);
    }
    return quality;
  }

  /** The first of each of a lot's groups. */
  #lookInto({ lot }: Bound): readonly Considered[] {
    return lot.groups.flatMap((group) => {
      const card = group.members.find((member) => !this.#apart.has(member));
      return card === undefined ? [] : this.#told(card, group);
    });
  }

  /** Looks into the lots until all that can matter are among the entries. */
  #look(): void {
    const { difficulty } = this.#asked.prediction;
    const visit = new Visit(this.#entries, this.#bounds, (bound) => this.#lookInto(bound));
    const careful = { of: (one: Considered) => one.careful, most: (bound: Bound) => bound.carefulMax };
    const level = { of: carefulLevel, most: (bound: Bound) => bound.carefulLevelMax };
    if (this.#selector === "best") {
      visit.reach(1, { ...level, isAhead: ({ card }, { lot }) => card.id < lot.firstId });
      const champion = championOf(this.#entries);
      if (champion === undefined) return;
      const of = (one: Considered) => one.careful - gainFor(one.quality - one.qualityLow, champion);
      const most = (bound: Bound) => bound.carefulMax - gainFor(bound.doubtMin, champion);
      const isAhead = (one: Considered, bound: Bound) => of(one) >= most(bound) && isCheaper(one, bound);
      visit.reach(SCORED_KEPT, { of, most, isAhead });
      visit.reach(GOOD_KEPT, { ...careful, isAhead });
      visit.reach(GOOD_KEPT, { ...level, isAhead });
      return;
    }
    const { of, least } = EXPENSES[this.#selector];
    const isAhead = (one: Considered, bound: Bound) =>
      one.careful >= bound.carefulMax && of(one) <= least(bound) && isCheaper(one, bound);
    visit.reach(GOOD_KEPT, { ...careful, isAhead });
    visit.reach(GOOD_KEPT, { ...level, isAhead });
    const floor = floorOf(this.#selector, this.#entries, this.#input.quality, difficulty);
    visit.reach(SCORED_KEPT, {
      of: (one) => (one.careful >= floor ? -of(one) : NONE),
      most: (bound) => (bound.carefulMax >= floor ? -least(bound) : NONE),
      isAhead: () => false,
    });
    const above = this.#entries.filter((one) => one.careful >= floor).length;
    if (above < SCORED_KEPT) visit.reach(SCORED_KEPT, { ...careful, isAhead });
  }

  shortlist(): Omit<Shortlist, "whole"> {
    const removed = this.#removed;
    if (this.#able === 0) {
      const choice = choiceAmong(this.#selector, this.#unhealthy, this.#asked, this.#input, removed);
      return { choice, sure: choice.candidates.length, isWhole: true };
    }
    this.#look();
    if (this.#unhealthy.length > 0) removed.unhealthy = this.#unhealthy.length;
    const choice = choiceAmong(this.#selector, this.#considerable(), this.#asked, this.#input, removed);
    return { choice, sure: SCORED_KEPT, isWhole: this.#able <= SCORED_KEPT };
  }

  /**
   * Those that come first, and those of the highest quality and level, that the log keeps: the ones that scores are measured
   * by are among these. And the pinned one.
   */
  #considerable(): readonly Considered[] {
    const entries = this.#entries;
    const { prediction } = this.#asked;
    const { quality, rules } = this.#input;
    const scores = scoresOf(this.#selector, entries, quality, prediction.difficulty);
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at];
      if (entry !== undefined) entry.score = scores[at] ?? 0;
    }
    const found = new Map<string, Considered>();
    this.#gather(found, SCORED_KEPT, byScore);
    this.#gather(
      found,
      GOOD_KEPT,
      by(({ careful }) => careful),
    );
    this.#gather(found, GOOD_KEPT, by(carefulLevel));
    const pinned = this.#roster.places.get(pinFor(rules, prediction)?.id ?? "");
    const one = pinned && this.#known(pinned);
    if (one?.eligible) found.set(one.card.id, one);
    return [...found.values()];
  }

  /** The first by an order, and behind each as many of its group as may still be among them. */
  #gather(found: Map<string, Considered>, count: number, order: Order): void {
    for (const [at, entry] of firstOf(this.#entries, count, order).entries())
      this.#add(found, entry, count - at);
  }

  #add(found: Map<string, Considered>, entry: Considered, count: number): void {
    const place = this.#roster.places.get(entry.card.id);
    if (place === undefined) return;
    const cards = this.#apart.has(entry.card) ? [entry.card] : this.#plain(place.group, count);
    for (const card of cards) {
      if (!found.has(card.id)) found.set(card.id, this.#known({ card, group: place.group }));
    }
  }

  /** The first of a group's members that are not apart. */
  #plain({ members }: Group, count: number): readonly ModelCard[] {
    const plain: ModelCard[] = [];
    for (const card of members) {
      if (plain.length === count) break;
      if (!this.#apart.has(card)) plain.push(card);
    }
    return plain;
  }
}

/** What `fair` and `light` go by above their floor: one's, and the least of a lot. */
const EXPENSES = {
  fair: { of: ({ costUsd }: Considered) => costUsd ?? 0, least: ({ costUsdMin }: Bound) => costUsdMin },
  light: { of: ({ latencyMs }: Considered) => latencyMs, least: ({ latencyMsMin }: Bound) => latencyMsMin },
} as const;

function isCheaper({ costUsd }: Considered, { costUsdMin }: Bound): boolean {
  return (costUsd ?? 0) < costUsdMin;
}

type Order = (a: Considered, b: Considered) => number;

/** The highest first; of equal ones the first by score. */
function by(value: (one: Considered) => number): Order {
  return (a, b) => value(b) - value(a) || byScore(a, b);
}
