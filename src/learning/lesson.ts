// Turns a logged decision and a score into a lesson, and feeds lessons to the learner.

import { asArray, asNumber, asObject, asString, type JsonObject, parseJson } from "../core/json/json.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Lesson } from "../core/models/learned/lesson.ts";
import { KINDS } from "../core/models/skill.ts";
import type { LessonBound } from "../core/store.ts";
import { findProfile } from "../selectors/profiles.ts";
import { estimatePriorQuality } from "../selectors/quality.ts";
import { computeRowWidth, packRow, unpackRow } from "../selectors/row.ts";
import { foldKinds } from "../selectors/text/kinds.ts";
import type { Prediction } from "../selectors/text/predictor.ts";
import type { LearnedModels } from "./learned.ts";

const HOUR_MS = 3_600_000;
/** Scores of an account for a model within an hour that count in full. The next as many count half, and so on. */
const FULL_PER_HOUR = 3;
const PER_HOUR_MAX = 24;
/** Lessons kept per account and model, so that no single holder decides what is learned. */
const PER_ACCOUNT_AND_MODEL_MAX = 200;

/** Bounds what one account may teach about one model, with however many keys: within an hour, all its scores count as less than six. */
export function makeLessonBound(nowMs: number): LessonBound {
  return {
    sinceMs: nowMs - HOUR_MS,
    keptMax: PER_ACCOUNT_AND_MODEL_MAX,
    shareAfter: (lessons) => (lessons >= PER_HOUR_MAX ? 0 : 2 ** -Math.floor(lessons / FULL_PER_HOUR)),
  };
}

/** The part of a prediction that learning needs: the kind of request. */
type LessonInput = Pick<Prediction, "row" | "skills" | "difficultyLogit" | "support">;

/** Reads the kind of request that a logged decision was about. Null if it can't be read. */
export function readKind(decision: string): LessonInput | null {
  return readKeptKind(asObject(parseJson(decision)));
}

/** The same for a parsed decision. */
export function readKeptKind(
  kept: Readonly<{ row?: unknown; features?: unknown; difficulty?: unknown }>,
): LessonInput | null {
  const row = unpackRow(asString(kept.row) ?? "");
  const features = asObject(kept.features);
  const shares = asObject(features.categories);
  const difficulty = asNumber(kept.difficulty);
  if (row === null || difficulty === undefined) return null;
  const within = Math.min(0.999, Math.max(0.001, difficulty));
  return {
    row,
    skills: readSkills(shares),
    difficultyLogit: 1.5 * Math.log(within / (1 - within)),
    support: asNumber(features.support) ?? 0,
  };
}

/** Small shares aren't kept, so those that are don't sum to 1. */
function readSkills(shares: JsonObject): number[] {
  const kinds = KINDS.map((kind) => asNumber(shares[kind]) ?? 0);
  const sum = kinds.reduce((all, share) => all + share, 0);
  return foldKinds(kinds.map((share) => (sum > 0 ? share / sum : 0)));
}

/** Makes the lesson that these cards' answers to such a request got these scores. */
export function makeLesson(
  about: Omit<Lesson, "marks" | "request">,
  kind: LessonInput,
  scores: readonly { readonly card: ModelCard; readonly score: number }[],
): Lesson {
  const marks = scores.map(({ card, score }) => {
    const expected = estimatePriorQuality(findProfile(card), kind);
    return { model: card.id, score, expected: Math.round(expected * EXPECTED_UNITS) / EXPECTED_UNITS };
  });
  return { ...about, request: JSON.stringify({ row: packRow(kind.row) }), marks };
}
const EXPECTED_UNITS = 10_000;

/** Stores a lesson, which counts from the next `fit` on. */
export function putLesson(learned: LearnedModels, lesson: Lesson): void {
  const row = readRow(lesson.request);
  if (row !== null) learned.put(row, lesson);
}

/** Returns the request's row. Null if it is malformed or was made by other parameters. */
export function readRow(request: string): Float32Array | null {
  const row = unpackRow(asString(asObject(parseJson(request)).row) ?? "");
  return row?.length === computeRowWidth() ? row : null;
}

interface MeasuredAnswer {
  readonly tokens: number;
  readonly payer: string;
}

/** Learns from the length of a chosen model's answer, compared with the expected one: all tokens, thinking included. */
export function measureLength(
  learned: LearnedModels,
  kept: Readonly<{ candidates?: unknown }>,
  model: string,
  { tokens, payer }: MeasuredAnswer,
): void {
  const chosen = asArray(kept.candidates).find((one) => asObject(one).model === model);
  const outputTokens = asNumber(asObject(chosen).tokens);
  if (outputTokens !== undefined) learned.foldLength({ outputTokens }, model, tokens, payer);
}
