// Teaches a score for a card, without a store.
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { LessonMark } from "../../../src/core/models/learned/lesson.ts";
import type { LearnedModels } from "../../../src/learning/learned.ts";
import { findProfile } from "../../../src/selectors/profiles.ts";
import { estimatePriorQuality } from "../../../src/selectors/quality.ts";
import type { Prediction } from "../../../src/selectors/text/predictor.ts";

export interface Lesson {
  readonly card: ModelCard;
  /** The prediction for the answered request. */
  readonly prediction: Prediction;
  /** 0…1. */
  readonly score: number;
  /** 0…1. */
  readonly weight: number;
}

/** Keeps one score, which takes effect at the next `fit`. */
export function teach(learned: LearnedModels, { card, prediction, score, weight }: Lesson): void {
  const expected = estimatePriorQuality(findProfile(card), prediction);
  teachScore(learned, prediction, { model: card.id, score, expected }, weight);
}

/** Each lesson has its own id, so that all of them count. */
export function teachScore(
  learned: LearnedModels,
  { row }: Pick<Prediction, "row">,
  mark: LessonMark,
  weight = 1,
): void {
  learned.put(row, { accountId: "", id: String(taught++), atMs: 0, weight, marks: [mark] });
}
let taught = 0;
