// Router#best, #fair and #light: the candidates that can serve a request, ranked by one prediction, with the reasons.
import { type Capability, can, type ModelCard } from "../core/card.ts";
import { type ChatRequest, outputLimitOf } from "../core/chat.ts";
import type { Selector } from "../core/selector.ts";
import type { CategoryRule, RouterRules } from "../core/settings.ts";
import { SKILLS, type Skill, type SkillRow } from "../core/skill.ts";
import { expectedCost, expectedMs, thoughtTokens } from "./expense.ts";
import { featuresOf } from "./features.ts";
import { type CardHealth, type HealthView, NO_HEALTH } from "./health-view.ts";
import { Learned } from "./learned.ts";
import type { Needs } from "./needs.ts";
import type { Parameters } from "./parameters.ts";
import { type Prediction, predict } from "./predictor.ts";
import { profileOf } from "./profiles.ts";
import { qualityOf } from "./quality.ts";

export interface ChooseInput {
  readonly request: ChatRequest;
  readonly needs: Needs;
  /** All that could be chosen; those that can't serve stay in the answer, with the reason. */
  readonly cards: readonly ModelCard[];
  readonly rules: RouterRules;
  /** The share of the best quality that `fair` keeps, 0…1. */
  readonly quality: number;
  /** False: the client's key may not use it. */
  readonly allowed?: (id: string) => boolean;
  /** In place of the skills that the operator has given the card. */
  readonly skills?: (id: string) => SkillRow | undefined;
  readonly health?: HealthView;
  readonly learned?: Learned;
  /** Tokens of the prompt that the card's provider is likely to hold in its cache. */
  readonly cachedTokens?: (id: string) => number;
}

/** What a candidate is ranked by, whoever asks. */
export interface Weighed {
  readonly card: Pick<ModelCard, "id" | "created">;
  /** The predicted probability of a good answer. */
  readonly quality: number;
  readonly qualityLow: number;
  readonly costUsd: number | null;
  /** To the full answer. */
  readonly latencyMs: number;
  /** Of the answer and its thoughts, by the prediction alone: what lengths are measured beside. */
  readonly tokens: number;
  /** The overall level, whatever the kind of request. */
  readonly level: number;
  /** The quality with some of the model's own uncertainty taken off. */
  readonly careful: number;
}

export interface Candidate extends Weighed {
  readonly card: ModelCard;
  readonly eligible: boolean;
  /**
   * What removed it: "denied", "rule:" and the kind of task whose rule did, "not_allowed", "unpriced", "context",
   * "unhealthy", or the capability it lacks.
   */
  readonly removedBy: string | null;
  /** What the selector sorts by, higher first; comparable within one decision only. */
  readonly score: number;
}

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
}

/** How the reasons begin that a rule of the operator's gives. */
export const BY_RULE = "rule:";
/** Nothing learned. */
const UNTAUGHT = new Learned();
/** `best` leaves the champion only for a gain above this, plus a share of what is uncertain about it. */
const GAIN_MIN = 0.004;
const GAIN_DOUBT = 1.2;
/** `light` keeps this share of the best quality for the easiest request, and for the hardest. */
const LIGHT_SHARE_EASY = 0.7;
const LIGHT_SHARE_HARD = 0.95;
/** How much of its uncertainty is taken off a quality before it is compared. */
const CAUTION = 0.5;

/** A candidate while it is being made. */
interface Considered extends Candidate {
  eligible: boolean;
  removedBy: string | null;
  score: number;
}

/** Ranks by the selector's rule alone, best first. */
export function ranked<One extends Weighed>(
  selector: Selector,
  able: readonly One[],
  share: number,
  difficulty: number,
): readonly (One & { readonly score: number })[] {
  const scores = SCORES[selector](able, share, difficulty);
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
  const needed = [...input.needs.keys()];
  const rules = input.rules.rules.filter(
    ({ category, shareMin }) => prediction.categories[category] >= shareMin,
  );
  const asked: Asked = { promptTokens, needed, prediction, rules };
  const considered = input.cards.map((card) => consider(card, asked, input));
  const able = asHealthyAsCanBe(considered);
  const scores = SCORES[selector](able, input.quality, prediction.difficulty);
  const pinned = pinOf(input.rules, prediction, able);
  const order = [...able];
  for (const [at, one] of order.entries()) {
    one.eligible = true;
    one.removedBy = null;
    one.score = scores[at] ?? 0;
  }
  order.sort(byScore);
  if (pinned !== null)
    order.sort((a, b) => Number(b.card.id === pinned.id) - Number(a.card.id === pinned.id));
  const removed = considered.filter(({ eligible }) => !eligible).sort(byId);
  return {
    selector,
    choice: order[0]?.card ?? null,
    pinned: pinned?.skill ?? null,
    prediction,
    promptTokens,
    candidates: [...order, ...removed],
  };
}

/** What one request asks of every card. */
interface Asked {
  readonly promptTokens: number;
  readonly needed: readonly Capability[];
  readonly prediction: Prediction;
  /** Those that hold for it. */
  readonly rules: readonly CategoryRule[];
}

function consider(card: ModelCard, asked: Asked, input: ChooseInput): Considered {
  const { promptTokens, prediction } = asked;
  const { request, health = NO_HEALTH, learned = UNTAUGHT } = input;
  const profile = profileOf(card, input.skills?.(card.id) ?? card.skills);
  const seen = health.of(card.id);
  const thought = thoughtTokens(profile, request.reasoning_effort, prediction.difficultyLogit);
  const length = learned.lengthOf(card.id);
  const answer = Math.min(
    prediction.outputTokens * length,
    outputLimitOf(request) ?? Number.POSITIVE_INFINITY,
  );
  const cached = input.cachedTokens?.(card.id) ?? 0;
  const { quality, low, spread, level } = qualityOf(card.id, profile, prediction, learned);
  const works = 1 - Math.min(0.9, seen?.errorRate ?? 0);
  const removedBy = removalOf(card, asked, seen, input);
  return {
    card,
    eligible: removedBy === null,
    removedBy,
    quality: quality * works,
    qualityLow: low * works,
    costUsd:
      card.price === null ? null : expectedCost(card.price, promptTokens, cached, answer, thought * length),
    latencyMs: expectedMs(profile, seen, answer + thought * length),
    tokens: prediction.outputTokens + thought,
    score: 0,
    level: level * works,
    careful: (quality - CAUTION * spread) * works,
  };
}

/** The first reason why the card can't serve; null: it can. Never a matter of score. */
function removalOf(
  card: ModelCard,
  { promptTokens, needed, rules }: Asked,
  seen: CardHealth | null,
  input: ChooseInput,
): string | null {
  const { request } = input;
  if (input.rules.deny.includes(card.id)) return "denied";
  for (const { category, models, deny } of rules)
    if (deny.includes(card.id) || models?.includes(card.id) === false) return `${BY_RULE}${category}`;
  if (input.allowed?.(card.id) === false) return "not_allowed";
  if (card.price === null) return "unpriced";
  for (const need of needed) if (!can(card, need)) return need;
  if (request.response_format?.type === "json_schema" && !can(card, "structured")) return "structured";
  const room = card.contextTokensMax ?? Number.POSITIVE_INFINITY;
  if (promptTokens + (outputLimitOf(request) ?? 0) > room) return "context";
  return seen?.open === true ? "unhealthy" : null;
}

/** Those that can serve; where only unhealthy ones are left, these: one of them may be back. */
function asHealthyAsCanBe(considered: readonly Considered[]): readonly Considered[] {
  const healthy = considered.filter(({ eligible }) => eligible);
  return healthy.length > 0 ? healthy : considered.filter(({ removedBy }) => removedBy === "unhealthy");
}

type Scoring = (able: readonly Weighed[], share: number, difficulty: number) => readonly number[];

const SCORES: Readonly<Record<Selector, Scoring>> = {
  best: (able) => {
    const champion = championOf(able);
    return able.map(
      (one) => one.careful - (one === champion || champion === undefined ? 0 : gainWanted(one, champion)),
    );
  },
  fair: (able, share) =>
    cheapest(able, share * bestOf(able), ({ costUsd }) => costUsd ?? Number.POSITIVE_INFINITY),
  light: (able, _, difficulty) => {
    const share = LIGHT_SHARE_EASY + (LIGHT_SHARE_HARD - LIGHT_SHARE_EASY) * difficulty;
    return cheapest(able, share * bestOf(able), ({ latencyMs }) => latencyMs);
  },
};

/** The one whose overall level is the highest, its uncertainty taken off. */
function championOf(able: readonly Weighed[]): Weighed | undefined {
  let champion = able[0];
  for (const one of able) {
    if (champion === undefined) continue;
    const ahead = carefulLevel(one) - carefulLevel(champion);
    if (ahead > 0 || (ahead === 0 && byId(one, champion) < 0)) champion = one;
  }
  return champion;
}

function carefulLevel({ level, quality, careful }: Weighed): number {
  return level - (quality - careful);
}

function gainWanted(one: Weighed, champion: Weighed): number {
  return (
    GAIN_MIN + GAIN_DOUBT * Math.max(one.quality - one.qualityLow, champion.quality - champion.qualityLow)
  );
}

function bestOf(able: readonly Weighed[]): number {
  return Math.max(0, ...able.map(({ careful }) => careful));
}

/** Above the floor 1 to 2, the cheapest highest; below it their quality. */
function cheapest(
  able: readonly Weighed[],
  floor: number,
  expenseOf: (one: Weighed) => number,
): readonly number[] {
  const isAbove = (one: Weighed) => one.careful >= floor;
  const least = Math.min(...able.filter(isAbove).map(expenseOf));
  return able.map((one) => (isAbove(one) ? 1 + (least + TINY) / (expenseOf(one) + TINY) : one.careful));
}
const TINY = 1e-9;

/** The pinned card of the request's main kind, where it can serve. */
function pinOf(
  { pin }: RouterRules,
  { categories }: Prediction,
  able: readonly Weighed[],
): { id: string; skill: Skill } | null {
  const [skill = "knowledge"] = SKILLS.toSorted((a, b) => categories[b] - categories[a]);
  const id = pin[skill];
  return id !== undefined && able.some(({ card }) => card.id === id) ? { id, skill } : null;
}

function byScore(a: Weighed & { readonly score: number }, b: Weighed & { readonly score: number }): number {
  return (
    b.score - a.score || (a.costUsd ?? 0) - (b.costUsd ?? 0) || b.card.created - a.card.created || byId(a, b)
  );
}

function byId(a: Weighed, b: Weighed): number {
  if (a.card.id === b.card.id) return 0;
  return a.card.id < b.card.id ? -1 : 1;
}
