// Router#best, #fair and #light: the candidates that can serve a request, ranked by one prediction, with the reasons.
import type { ModelCard } from "../core/card.ts";
import type { Selector } from "../core/selector.ts";
import type { RouterRules } from "../core/settings.ts";
import { SKILLS, type Skill } from "../core/skill.ts";
import {
  type Asked,
  askedBy,
  type Candidate,
  type ChooseInput,
  type Considered,
  consider,
  type Weighed,
} from "./consider.ts";
import { featuresOf } from "./features.ts";
import type { Parameters } from "./parameters.ts";
import { type Prediction, predict } from "./predictor.ts";

export interface Choice {
  readonly selector: Selector;
  /** null: none can serve the request. */
  readonly choice: ModelCard | null;
  /** The kind of task whose pin decided; null: none did. */
  readonly pinned: Skill | null;
  readonly prediction: Prediction;
  /** About. */
  readonly promptTokens: number;
  /** Best first; those that were removed come last. */
  readonly candidates: readonly Candidate[];
  /** How many were removed, by what. */
  readonly removed: Removals;
}

export type Removals = Readonly<Record<string, number>>;

/** `best` leaves the champion only for a gain above this, plus a share of what is uncertain about it. */
const GAIN_MIN = 0.004;
const GAIN_DOUBT = 1.2;
/** `light` keeps this share of the best quality for the easiest request, and for the hardest. */
const LIGHT_SHARE_EASY = 0.7;
const LIGHT_SHARE_HARD = 0.95;

/** Ranks by the selector's rule alone, best first. */
export function ranked<One extends Weighed>(
  selector: Selector,
  able: readonly One[],
  share: number,
  difficulty: number,
): readonly (One & { readonly score: number })[] {
  const scores = scoresOf(selector, able, share, difficulty);
  return able.map((one, at) => ({ ...one, score: scores[at] ?? 0 })).sort(byScore);
}

/** Deterministic: the same input gives the same answer. */
export function choose(selector: Selector, input: ChooseInput, parameters?: Parameters): Choice {
  const features = featuresOf(input.request);
  return decide(selector, input, predict(features, parameters), features.promptTokens);
}

/** The choice by a prediction that is there already, as when a decision is repeated. */
export function decide(
  selector: Selector,
  input: ChooseInput,
  prediction: Prediction,
  promptTokens: number,
): Choice {
  const asked = askedBy(input, prediction, promptTokens);
  return choiceAmong(
    selector,
    input.cards.map((card) => consider(card, asked, input)),
    asked,
    input,
  );
}

/** The choice among cards that have been considered; `removed` counts those that are not among them. */
export function choiceAmong(
  selector: Selector,
  considered: readonly Considered[],
  { prediction, promptTokens }: Asked,
  { quality, rules }: Pick<ChooseInput, "quality" | "rules">,
  removed: Removals = {},
): Choice {
  const able = asHealthyAsCanBe(considered);
  const scores = scoresOf(selector, able, quality, prediction.difficulty);
  const pinned = pinOf(rules, prediction, able);
  const order = [...able];
  for (const [at, one] of order.entries()) {
    one.eligible = true;
    one.removedBy = null;
    one.score = scores[at] ?? 0;
  }
  order.sort(byScore);
  if (pinned !== null)
    order.sort((a, b) => Number(b.card.id === pinned.id) - Number(a.card.id === pinned.id));
  const out = considered.filter(({ eligible }) => !eligible).sort(byId);
  return {
    selector,
    choice: order[0]?.card ?? null,
    pinned: pinned?.skill ?? null,
    prediction,
    promptTokens,
    candidates: [...order, ...out],
    removed: removalsOf(out, removed),
  };
}

function removalsOf(out: readonly Considered[], before: Removals): Removals {
  const removed = { ...before };
  for (const { removedBy } of out) {
    if (removedBy !== null) removed[removedBy] = (removed[removedBy] ?? 0) + 1;
  }
  return removed;
}

/** Those that can serve; where only unhealthy ones are left, these: one of them may be back. */
function asHealthyAsCanBe(considered: readonly Considered[]): readonly Considered[] {
  const healthy = considered.filter(({ eligible }) => eligible);
  return healthy.length > 0 ? healthy : considered.filter(({ removedBy }) => removedBy === "unhealthy");
}

/** What a selector gives each of these, higher first. */
export function scoresOf(
  selector: Selector,
  able: readonly Weighed[],
  share: number,
  difficulty: number,
): readonly number[] {
  return SCORES[selector](able, share, difficulty);
}

type Scoring = (able: readonly Weighed[], share: number, difficulty: number) => readonly number[];

const SCORES: Readonly<Record<Selector, Scoring>> = {
  best: (able) => {
    const champion = championOf(able);
    return able.map(
      (one) => one.careful - (one === champion || champion === undefined ? 0 : gainWanted(one, champion)),
    );
  },
  fair: (able, share, difficulty) =>
    cheapest(
      able,
      floorOf("fair", able, share, difficulty),
      ({ costUsd }) => costUsd ?? Number.POSITIVE_INFINITY,
    ),
  light: (able, share, difficulty) =>
    cheapest(able, floorOf("light", able, share, difficulty), ({ latencyMs }) => latencyMs),
};

/** The quality above which the cheapest, or the fastest, comes first. */
export function floorOf(
  selector: "fair" | "light",
  able: readonly Weighed[],
  share: number,
  difficulty: number,
): number {
  const lightShare = LIGHT_SHARE_EASY + (LIGHT_SHARE_HARD - LIGHT_SHARE_EASY) * difficulty;
  return (selector === "fair" ? share : lightShare) * bestOf(able);
}

/** The one whose overall level is the highest, its uncertainty taken off. */
export function championOf(able: readonly Weighed[]): Weighed | undefined {
  let champion = able[0];
  for (const one of able) {
    if (champion === undefined) continue;
    const ahead = carefulLevel(one) - carefulLevel(champion);
    if (ahead > 0 || (ahead === 0 && byId(one, champion) < 0)) champion = one;
  }
  return champion;
}

/** What the champion is found by. */
export function carefulLevel({ level, quality, careful }: Weighed): number {
  return level - (quality - careful);
}

function gainWanted(one: Weighed, champion: Weighed): number {
  return gainFor(one.quality - one.qualityLow, champion);
}

/** How much better than the champion one must be, about which so much is in doubt. */
export function gainFor(doubt: number, champion: Weighed): number {
  return GAIN_MIN + GAIN_DOUBT * Math.max(doubt, champion.quality - champion.qualityLow);
}

function bestOf(able: readonly Weighed[]): number {
  let best = 0;
  for (const { careful } of able) best = Math.max(best, careful);
  return best;
}

/** Above the floor 1 to 2, the cheapest highest; below it their quality. */
function cheapest(
  able: readonly Weighed[],
  floor: number,
  expenseOf: (one: Weighed) => number,
): readonly number[] {
  const isAbove = (one: Weighed) => one.careful >= floor;
  let least = Number.POSITIVE_INFINITY;
  for (const one of able) if (isAbove(one)) least = Math.min(least, expenseOf(one));
  return able.map((one) => (isAbove(one) ? 1 + (least + TINY) / (expenseOf(one) + TINY) : one.careful));
}
const TINY = 1e-9;

/** The pinned card of the request's main kind, where it can serve. */
function pinOf(rules: RouterRules, prediction: Prediction, able: readonly Weighed[]): Pin | null {
  const pin = pinFor(rules, prediction);
  return pin !== null && able.some(({ card }) => card.id === pin.id) ? pin : null;
}

interface Pin {
  readonly id: string;
  readonly skill: Skill;
}

/** The card that the operator has pinned for the request's main kind. */
export function pinFor({ pin }: RouterRules, { categories }: Prediction): Pin | null {
  const [skill = "knowledge"] = SKILLS.toSorted((a, b) => categories[b] - categories[a]);
  const id = pin[skill];
  return id === undefined ? null : { id, skill };
}

export function byScore(
  a: Weighed & { readonly score: number },
  b: Weighed & { readonly score: number },
): number {
  return (
    b.score - a.score || (a.costUsd ?? 0) - (b.costUsd ?? 0) || b.card.created - a.card.created || byId(a, b)
  );
}

function byId(a: Weighed, b: Weighed): number {
  if (a.card.id === b.card.id) return 0;
  return a.card.id < b.card.id ? -1 : 1;
}
