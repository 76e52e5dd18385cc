// A request as every model is compared with it, and the reasons why a model can't serve it.
import type { Cached } from "../core/attempt.ts";
import { type Capability, can, type ModelCard } from "../core/card.ts";
import type { RouterRules } from "../core/settings.ts";
import { type ChatRequest, readOutputLimit } from "../operations/chat/form.ts";
import type { Needs } from "../operations/chat/needs.ts";
import { type CardHealth, type HealthView, NO_HEALTH } from "./health-view.ts";
import { Learned } from "./learning/learned.ts";
import { findLightShare } from "./light.ts";
import type { Prediction } from "./predictor.ts";
import { prepareQuality, type QualityAsk } from "./quality.ts";
import { type ActiveRules, findExclusion, selectRules } from "./rules.ts";
import type { RankAsk } from "./selector.ts";

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
  /** False: its provider can't fetch the request's images. Left out: none has to be fetched. */
  readonly takesImageUrls?: ((card: ModelCard) => boolean) | undefined;
  readonly health?: HealthView;
  readonly learned?: Learned;
  readonly cached?: () => Cached | null;
}

export interface Candidate {
  readonly card: ModelCard;
  readonly eligible: boolean;
  /**
   * The reason why it can't serve: "denied", "rule:" and the kind of task whose rule did, "not_allowed", "unpriced", "context",
   * "image_urls", "unhealthy", or the capability it lacks ("tools" also where a call is forced and it can't be).
   */
  readonly removedBy: string | null;
  /** The predicted probability of a good answer. */
  readonly quality: number;
  readonly qualityLow: number;
  /** null: it has no price. */
  readonly costUsd: number | null;
  /** Until the answer is complete. */
  readonly latencyMs: number;
  /** The same of an answer that is longer than expected by a standard deviation. */
  readonly costHighUsd: number | null;
  readonly latencyHighMs: number;
  /** The predicted length of the answer and its thoughts: real lengths are compared with it. */
  readonly tokens: number;
  /** The overall level, whatever the request. */
  readonly level: number;
  /** The highest comes first; comparable within one decision only. */
  readonly score: number;
}

/** Nothing learned. */
const UNTAUGHT = new Learned();

/** One request, with everything that is the same for all models worked out once. */
export interface Asked {
  readonly promptTokens: number;
  /** The client's own limit. */
  readonly outputTokensMax: number | undefined;
  readonly needed: readonly Capability[];
  readonly prediction: Prediction;
  readonly quality: QualityAsk;
  readonly rules: ActiveRules;
  readonly effort: ChatRequest["reasoning_effort"];
  readonly cached: Cached | null;
  /** The answers in the conversation so far. */
  readonly turns: number;
  readonly allowed: ChooseInput["allowed"];
  readonly takesImageUrls: ChooseInput["takesImageUrls"];
  readonly health: HealthView;
  readonly learned: Learned;
  readonly ask: RankAsk;
}

export function prepareAsk(input: ChooseInput, prediction: Prediction, promptTokens: number): Asked {
  const { request, needs, health = NO_HEALTH, learned = UNTAUGHT } = input;
  const isStructured = request.response_format?.type === "json_schema";
  return {
    promptTokens,
    outputTokensMax: readOutputLimit(request),
    needed: [...needs.keys(), ...(isStructured ? (["structured"] as const) : [])],
    prediction,
    quality: prepareQuality(prediction),
    rules: selectRules(input.rules, prediction),
    effort: request.reasoning_effort,
    cached: input.cached?.() ?? null,
    turns: request.messages.filter(({ role }) => role === "assistant").length,
    allowed: input.allowed,
    takesImageUrls: input.takesImageUrls,
    health,
    learned,
    ask: prepareRank(input, prediction, learned),
  };
}

/** A request unlike nearly all labelled prompts: what they say of its answers' worth isn't gone by. */
const ALIKE_MIN = 0.05;

function prepareRank(
  { quality: share }: Pick<ChooseInput, "quality">,
  prediction: Prediction,
  learned: Learned,
): RankAsk {
  const { difficulty } = prediction;
  const known = learned.likenessOf(prediction);
  const isAlike = known !== null && known >= ALIKE_MIN;
  return {
    ...{ share, difficulty, likeness: known ?? prediction.sure },
    margin: learned.margin,
    usualCostUsd: learned.usualCostUsd,
    costWeight: isAlike ? learned.weightFor("money", share) : null,
    timeWeight: isAlike ? learned.weightFor("time", findLightShare(difficulty)) : null,
  };
}

/** The first reason why it can't serve; null: it can. */
export function findRemoval(card: ModelCard, seen: CardHealth | null, asked: Asked): string | null {
  return (
    findExclusion(asked.rules, card.id) ??
    (asked.allowed?.(card.id) === false ? "not_allowed" : null) ??
    findMisfit(card, asked) ??
    (asked.takesImageUrls?.(card) === false ? "image_urls" : null) ??
    (seen?.open === true ? UNHEALTHY : null)
  );
}
export const UNHEALTHY = "unhealthy";

/** The part of the request that it can't serve, or can't be billed for. */
function findMisfit(card: ModelCard, { needed, promptTokens, outputTokensMax = 0 }: Asked): string | null {
  if (card.price === null) return "unpriced";
  for (const need of needed) if (!can(card, need)) return need === "tools_auto" ? "tools" : need;
  const room = card.contextTokensMax ?? Number.POSITIVE_INFINITY;
  return promptTokens + outputTokensMax > room ? "context" : null;
}
