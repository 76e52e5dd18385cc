// From a kept decision and a score to a lesson, and from lessons to what was learned.
import type { ModelCard } from "../../core/card.ts";
import { asArray, asNumber, asObject, asString, isObject, parseJson } from "../../core/json.ts";
import type { Lesson } from "../../core/rows.ts";
import { SKILLS } from "../../core/skill.ts";
import type { LessonBound } from "../../core/store.ts";
import type { Prediction } from "../predictor.ts";
import { findProfile } from "../profiles.ts";
import { expectedQuality } from "../quality.ts";
import { rowText, rowWidth, unpackRow } from "../row.ts";
import type { Learned } from "./learned.ts";

const HOUR_MS = 3_600_000;
/** The scores of a key for a model within an hour that count in full; as many again count half, and so on. */
const FULL_PER_HOUR = 3;
const PER_HOUR_MAX = 24;
/** A key's lessons of one model, so that no single key decides what is learned. */
const PER_KEY_AND_MODEL_MAX = 200;

/** The bound on what one key may teach of one model: within an hour all of it together counts as less than six scores. */
export function boundAt(nowMs: number): LessonBound {
  return {
    sinceMs: nowMs - HOUR_MS,
    keptMax: PER_KEY_AND_MODEL_MAX,
    shareAfter: (lessons) => (lessons >= PER_HOUR_MAX ? 0 : 2 ** -Math.floor(lessons / FULL_PER_HOUR)),
  };
}

/** The input of learning: the part of a prediction that says of what kind a request was. */
export type Kind = Pick<Prediction, "row" | "skills" | "difficultyLogit" | "support">;

/** The kind of request that a kept decision was about; null: that is no decision. */
export function readKind(decision: string): Kind | null {
  const kept = parseJson(decision);
  return isObject(kept) ? kindKept(kept) : null;
}

/** The same of a decision that is not text. */
export function kindKept(
  kept: Readonly<{ row?: unknown; features?: unknown; difficulty?: unknown }>,
): Kind | null {
  const row = unpackRow(asString(kept.row) ?? "");
  const features = asObject(kept.features);
  const shares = asObject(features.categories);
  const difficulty = asNumber(kept.difficulty);
  if (row === null || difficulty === undefined) return null;
  const within = Math.min(0.999, Math.max(0.001, difficulty));
  return {
    row,
    skills: SKILLS.map((skill) => asNumber(shares[skill]) ?? 0),
    difficultyLogit: 1.5 * Math.log(within / (1 - within)),
    support: asNumber(features.support) ?? 0,
  };
}

/** The lesson that answers of these cards to such a request were so good. */
export function makeLesson(
  about: Omit<Lesson, "marks" | "request">,
  kind: Kind,
  scores: readonly { readonly card: ModelCard; readonly score: number }[],
): Lesson {
  const marks = scores.map(({ card, score }) => {
    const expected = expectedQuality(findProfile(card), kind);
    return { model: card.id, score, expected: Math.round(expected * EXPECTED_UNITS) / EXPECTED_UNITS };
  });
  return { ...about, request: JSON.stringify({ row: rowText(kind.row) }), marks };
}
const EXPECTED_UNITS = 10_000;

/** Learns from a lesson, once `fit` is called. */
export function putLesson(learned: Learned, lesson: Lesson): void {
  const row = readRow(lesson.request);
  if (row !== null) learned.put(row, lesson);
}

/** The request's numbers; null: they say nothing here, because other parameters made them. */
export function readRow(request: string): Float32Array | null {
  const row = unpackRow(asString(asObject(parseJson(request)).row) ?? "");
  return row?.length === rowWidth() ? row : null;
}

/** Learns the length of an answer that a selector's choice gave, beside what was expected: all tokens, thoughts included. */
export function measureLength(
  learned: Learned,
  kept: Readonly<{ candidates?: unknown }>,
  model: string,
  tokens: number,
): void {
  const chosen = asArray(kept.candidates).find((one) => asObject(one).model === model);
  const outputTokens = asNumber(asObject(chosen).tokens);
  if (outputTokens !== undefined) learned.foldLength({ outputTokens }, model, tokens);
}
