// A selector's choice as `POST /v1/route` and `poundkey route` show it.
import { type Static, Type } from "@sinclair/typebox";
import type { Frozen } from "../core/frozen.ts";
import type { Choice } from "./choose.ts";
import type { Prediction } from "./predictor.ts";

const number = Type.Number();
const share = Type.Number({ minimum: 0, maximum: 1 });

const featuresSchema = Type.Object({
  categories: Type.Record(Type.String(), Type.Number(), {
    description:
      "Shares of the kinds of skill that the request calls for; they sum to about 1, those below 1 % are left out.",
  }),
  difficulty: share,
  output_tokens: number,
  support: Type.Number({ description: "How much of such requests the predictor has seen, 0 to 1." }),
});

export const routeSchema = Type.Object({
  selector: Type.String(),
  choice: Type.Union([Type.String(), Type.Null()], {
    description: "The model's id; null: none can serve the request.",
  }),
  pinned: Type.Optional(Type.String({ description: "The kind of task whose pin decided." })),
  features: featuresSchema,
  candidates: Type.Array(
    Type.Object({
      model: Type.String(),
      eligible: Type.Boolean(),
      removed_by: Type.Union([Type.String(), Type.Null()], {
        description: "Why it can't serve: denied, rule:coding, unpriced, a capability …",
      }),
      quality: number,
      quality_low: number,
      cost_usd: Type.Union([number, Type.Null()]),
      latency_ms: number,
      score: number,
    }),
  ),
});
export type RouteView = Frozen<Static<typeof routeSchema>>;

const SHARE_SHOWN_MIN = 0.01;
const THOUSANDTHS = 1000;
const COST_DIGITS = 1e8;

export function routeView({ selector, choice, pinned, prediction, candidates }: Choice): RouteView {
  return {
    selector: `Router#${selector.name}`,
    choice: choice?.id ?? null,
    ...(pinned === null ? {} : { pinned }),
    features: featuresView(prediction),
    candidates: candidates.map((one) => ({
      model: one.card.id,
      eligible: one.eligible,
      removed_by: one.removedBy,
      quality: rounded(one.quality),
      quality_low: rounded(one.qualityLow),
      cost_usd: one.costUsd === null ? null : Math.round(one.costUsd * COST_DIGITS) / COST_DIGITS,
      latency_ms: one.latencyMs,
      score: rounded(one.score),
    })),
  };
}

export function featuresView(prediction: Prediction): RouteView["features"] {
  const { categories, difficulty, outputTokens, support } = prediction;
  const shown = Object.entries(categories).filter(([, share]) => share >= SHARE_SHOWN_MIN);
  return {
    categories: Object.fromEntries(
      shown.toSorted(([, a], [, b]) => b - a).map(([skill, share]) => [skill, rounded(share)]),
    ),
    difficulty: rounded(difficulty),
    output_tokens: outputTokens,
    support: rounded(support),
  };
}

function rounded(value: number): number {
  return Math.round(value * THOUSANDTHS) / THOUSANDTHS;
}
