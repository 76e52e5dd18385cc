// A selector's choice as `POST /v1/route` and `poundkey route` show it.
import type { Choice } from "./choose.ts";
import type { Prediction } from "./predictor.ts";

export interface RouteView {
  readonly selector: string;
  /** The id of the card; null: none can serve the request. */
  readonly choice: string | null;
  /** The kind of task whose pin decided; left out when none did. */
  readonly pinned?: string;
  readonly features: {
    /** Shares of the kinds of skill that the request calls for; they sum to about 1, those below 1 % are left out. */
    readonly categories: Readonly<Record<string, number>>;
    /** 0…1. */
    readonly difficulty: number;
    readonly output_tokens: number;
    /** 0…1: how much of such requests the predictor has seen. */
    readonly support: number;
  };
  readonly candidates: readonly {
    readonly model: string;
    readonly eligible: boolean;
    readonly removed_by: string | null;
    readonly quality: number;
    readonly quality_low: number;
    readonly cost_usd: number | null;
    readonly latency_ms: number;
    readonly score: number;
  }[];
}

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
