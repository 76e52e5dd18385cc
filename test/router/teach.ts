// What a score teaches about a card, without a store in between.
import type { ModelCard } from "../../src/core/card.ts";
import type { Learned } from "../../src/router/learned.ts";
import type { Prediction } from "../../src/router/predictor.ts";
import { profileOf } from "../../src/router/profiles.ts";
import { expectedQuality } from "../../src/router/quality.ts";

export interface Lesson {
  readonly card: ModelCard;
  /** Of the request that was answered. */
  readonly prediction: Prediction;
  /** 0…1. */
  readonly score: number;
  /** 0…1. */
  readonly weight: number;
}

/** Folds one lesson in. */
export function teach(learned: Learned, { card, prediction, score, weight }: Lesson): void {
  const expected = expectedQuality(profileOf(card), prediction);
  learned.fold(prediction, { model: card.id, score, weight, expected });
}
