// One card as a candidate for one request: whether it can serve it, how good its answer is likely to be, what it costs, how long it takes.
import { type Capability, can, type ModelCard } from "../core/card.ts";
import { type ChatRequest, outputLimitOf } from "../core/chat.ts";
import type { CategoryRule, RouterRules } from "../core/settings.ts";
import type { SkillRow } from "../core/skill.ts";
import { expectedCost, expectedMs, thoughtTokens } from "./expense.ts";
import { type CardHealth, type HealthView, NO_HEALTH } from "./health-view.ts";
import { Learned } from "./learned.ts";
import type { Needs } from "./needs.ts";
import type { Prediction } from "./predictor.ts";
import { type Profile, profileOf } from "./profiles.ts";
import { type Quality, qualityOf } from "./quality.ts";

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
  readonly cached?: () => Cached | null;
}

/** The card that is likely to hold so many tokens of the prompt in its cache. */
export interface Cached {
  readonly cardId: string;
  readonly tokens: number;
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
   * "unhealthy", or the capability it lacks ("tools" also where a call is forced and it can't be).
   */
  readonly removedBy: string | null;
  /** What the selector sorts by, higher first; comparable within one decision only. */
  readonly score: number;
}

/** How the reasons begin that a rule of the operator's gives. */
export const BY_RULE = "rule:";
/** Nothing learned. */
export const UNTAUGHT = new Learned();
/** How much of a model's own uncertainty is taken off its quality before it is compared. */
export const CAUTION = 0.5;

/** A candidate while it is being made. */
export interface Considered extends Candidate {
  eligible: boolean;
  removedBy: string | null;
  score: number;
}

/** What one request asks of every card. */
export interface Asked {
  readonly promptTokens: number;
  /** The client's own limit. */
  readonly outputTokensMax: number | undefined;
  readonly needed: readonly Capability[];
  readonly prediction: Prediction;
  /** Those that hold for it. */
  readonly rules: readonly CategoryRule[];
  readonly effort: ChatRequest["reasoning_effort"];
  readonly cached: Cached | null;
}

export function askedBy(input: ChooseInput, prediction: Prediction, promptTokens: number): Asked {
  const { request, needs } = input;
  const isStructured = request.response_format?.type === "json_schema";
  return {
    promptTokens,
    outputTokensMax: outputLimitOf(request),
    needed: [...needs.keys(), ...(isStructured ? (["structured"] as const) : [])],
    prediction,
    rules: input.rules.rules.filter(({ category, shareMin }) => prediction.categories[category] >= shareMin),
    effort: request.reasoning_effort,
    cached: input.cached?.() ?? null,
  };
}

export function consider(card: ModelCard, asked: Asked, input: ChooseInput): Considered {
  const { health = NO_HEALTH, learned = UNTAUGHT } = input;
  const profile = profileOf(card, input.skills?.(card.id) ?? card.skills);
  const seen = health.of(card.id);
  const length = learned.lengthOf(card.id);
  const quality = qualityOf(card.id, profile, asked.prediction, learned);
  const removedBy =
    ruledOut(card, input.rules, asked.rules) ??
    (input.allowed?.(card.id) === false ? "not_allowed" : null) ??
    unfit(card, asked) ??
    (seen?.open === true ? "unhealthy" : null);
  return weighed({ card, profile, quality, seen, length }, asked, removedBy);
}

/** What is known of a card. */
export interface Known {
  readonly card: ModelCard;
  readonly profile: Profile;
  readonly quality: Quality;
  readonly seen: CardHealth | null;
  /** How many times longer its answers are than predicted. */
  readonly length: number;
}

export function weighed(
  { card, profile, quality: { quality, low, spread, level }, seen, length }: Known,
  { prediction, promptTokens, outputTokensMax, effort, cached }: Asked,
  removedBy: string | null,
): Considered {
  const thought = thoughtTokens(profile, effort, prediction.difficultyLogit);
  const answer = Math.min(prediction.outputTokens * length, outputTokensMax ?? Number.POSITIVE_INFINITY);
  const held = cached?.cardId === card.id ? cached.tokens : 0;
  const works = 1 - Math.min(0.9, seen?.errorRate ?? 0);
  return {
    card,
    eligible: removedBy === null,
    removedBy,
    quality: quality * works,
    qualityLow: low * works,
    costUsd:
      card.price === null ? null : expectedCost(card.price, promptTokens, held, answer, thought * length),
    latencyMs: expectedMs(profile, seen, answer + thought * length),
    tokens: prediction.outputTokens + thought,
    score: 0,
    level: level * works,
    careful: (quality - CAUTION * spread) * works,
  };
}

/** What the operator's rules have against the card. The first reason why it can't serve is the one; never a matter of score. */
export function ruledOut(
  { id }: ModelCard,
  { deny }: RouterRules,
  rules: readonly CategoryRule[],
): string | null {
  if (deny.includes(id)) return "denied";
  for (const { category, models, deny } of rules)
    if (deny.includes(id) || models?.includes(id) === false) return `${BY_RULE}${category}`;
  return null;
}

/** What of the request it can't serve, or can't be billed for. */
export function unfit(card: ModelCard, { needed, promptTokens, outputTokensMax = 0 }: Asked): string | null {
  if (card.price === null) return "unpriced";
  for (const need of needed) if (!can(card, need)) return need === "tools_auto" ? "tools" : need;
  const room = card.contextTokensMax ?? Number.POSITIVE_INFINITY;
  return promptTokens + outputTokensMax > room ? "context" : null;
}
