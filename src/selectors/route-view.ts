// A selector's choice as `POST /v1/route` and `poundkey route` show it.
import { type Static, Type } from "@sinclair/typebox";
import type { Frozen } from "../core/frozen.ts";
import { SKILLS } from "../core/skill.ts";
import { LIKENESS_MIN } from "./best.ts";
import type { Choice } from "./choose.ts";

const number = Type.Number();
const share = Type.Number({ minimum: 0, maximum: 1 });

const featuresSchema = Type.Object({
  categories: Type.Record(Type.String(), Type.Number(), {
    description:
      "The share of each kind of task in the request. They add up to about 1; shares below 1% are left out.",
  }),
  difficulty: share,
  output_tokens: number,
  support: Type.Number({ description: "How many similar requests the predictor has seen, from 0 to 1." }),
});

const basisSchema = Type.Object({
  likeness: Type.Number({
    description:
      "The share of the labelled prompts that resemble the others no more than this request does, from 0 to 1.",
  }),
  familiar: Type.Boolean({
    description:
      "False if the request resembles them too little for Router#best to deviate from the model that is best overall.",
  }),
  labelled: Type.Array(Type.Object({ topic: Type.String(), share: number, prompts: number }), {
    description: "The request's topics, with the number of labelled prompts for each.",
  }),
});

export const routeSchema = Type.Object({
  selector: Type.String(),
  choice: Type.Union([Type.String(), Type.Null()], {
    description: "The model's id. Null if no model can serve the request.",
  }),
  pinned: Type.Optional(Type.String({ description: "The kind of task whose pin decided the choice." })),
  stays: Type.Optional(
    Type.Boolean({ description: "True if the conversation stays with its model, regardless of the scores." }),
  ),
  features: featuresSchema,
  basis: basisSchema,
  candidates: Type.Array(
    Type.Object({
      model: Type.String(),
      eligible: Type.Boolean(),
      removed_by: Type.Union([Type.String(), Type.Null()], {
        description: "Why it can't be chosen: denied, rule:coding, unpriced, a missing capability …",
      }),
      quality: number,
      quality_low: number,
      cost_usd: Type.Union([number, Type.Null()]),
      latency_ms: number,
      cost_usd_high: Type.Union([number, Type.Null()], {
        description: "The cost of an answer that is one standard deviation longer than expected.",
      }),
      latency_ms_high: number,
      score: number,
    }),
  ),
});
export type RouteView = Frozen<Static<typeof routeSchema>>;

const SHARE_SHOWN_MIN = 0.01;
const THOUSANDTHS = 1000;
const COST_DIGITS = 1e8;

export function viewRoute(chosen: Choice): RouteView {
  const { selector, choice, pinned, isStaying, candidates } = chosen;
  return {
    selector: `Router#${selector.name}`,
    choice: choice?.id ?? null,
    ...(pinned === null ? {} : { pinned }),
    ...(isStaying ? { stays: isStaying } : {}),
    features: viewFeatures(chosen),
    basis: viewBasis(chosen),
    candidates: candidates.map((one) => ({
      model: one.card.id,
      eligible: one.eligible,
      removed_by: one.removedBy,
      quality: round(one.quality),
      quality_low: round(one.qualityLow),
      cost_usd: roundCost(one.costUsd),
      latency_ms: one.latencyMs,
      cost_usd_high: roundCost(one.costHighUsd),
      latency_ms_high: one.latencyHighMs,
      score: round(one.score),
    })),
  };
}

export function viewFeatures({ asked }: Pick<Choice, "asked">): RouteView["features"] {
  const { skills, difficulty, outputTokens, support } = asked.prediction;
  const shares = SKILLS.map((skill, at) => [skill, skills[at] ?? 0] as const);
  const shown = shares.filter(([, share]) => share >= SHARE_SHOWN_MIN).sort(([, a], [, b]) => b - a);
  return {
    categories: Object.fromEntries(shown.map(([skill, share]) => [skill, round(share)])),
    difficulty: round(difficulty),
    output_tokens: outputTokens,
    support: round(support),
  };
}

export function viewBasis({ asked, leanedOn }: Pick<Choice, "asked" | "leanedOn">): RouteView["basis"] {
  const { likeness } = asked.ask;
  return {
    likeness: round(likeness),
    familiar: likeness >= LIKENESS_MIN,
    labelled: leanedOn.map((one) => ({ ...one, share: round(one.share) })),
  };
}

function roundCost(usd: number | null): number | null {
  return usd === null ? null : Math.round(usd * COST_DIGITS) / COST_DIGITS;
}

function round(value: number): number {
  return Math.round(value * THOUSANDTHS) / THOUSANDTHS;
}
