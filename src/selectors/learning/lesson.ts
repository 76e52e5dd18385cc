// From a kept decision and a score to a lesson, and from lessons to what was learned.
import type { ModelCard } from "../../core/card.ts";
import { asArray, asNumber, asObject, asString, isObject, parseJson } from "../../core/json.ts";
import type { Lesson } from "../../core/rows.ts";
import type { SKILLS, Skill } from "../../core/skill.ts";
import type { LessonBound } from "../../core/store.ts";
import { rowText, unpackRow } from "../decision.ts";
import { type Prediction, rowWidth } from "../predictor.ts";
import { findProfile } from "../profiles.ts";
import { expectedQuality } from "../quality.ts";
import type { Learned } from "./learned.ts";

const HOUR_MS = 3_600_000;
/** Models and prompts change: what a lesson says is half as much after this time. */
export const LESSON_HALF_LIFE_MS = 30 * 86_400_000;
/** The scores of a key for a model within an hour that count in full; as many again count half, and so on. */
const FULL_PER_HOUR = 3;
const PER_HOUR_MAX = 24;

/** The bound on what one key may teach of one model: within an hour all of it together counts as less than six scores. */
export function boundAt(nowMs: number): LessonBound {
  return {
    sinceMs: nowMs - HOUR_MS,
    shareAfter: (lessons) => (lessons >= PER_HOUR_MAX ? 0 : 2 ** -Math.floor(lessons / FULL_PER_HOUR)),
  };
}

/** The input of learning: the part of a prediction that says of what kind a request was. */
export type Kind = Pick<Prediction, "row" | "categories" | "difficultyLogit" | "support">;

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
  const difficulty = asNumber(kept.difficulty);
  if (row === null || difficulty === undefined) return null;
  const within = Math.min(0.999, Math.max(0.001, difficulty));
  return {
    row,
    categories: sharesOf(features.categories),
    difficultyLogit: 1.5 * Math.log(within / (1 - within)),
    support: asNumber(features.support) ?? 0,
  };
}

/** The lesson that an answer of this card to such a request was so good. */
export function makeLesson(
  about: Omit<Lesson, "model" | "expected" | "request">,
  card: ModelCard,
  kind: Kind,
): Lesson {
  const { row, categories } = kind;
  return {
    ...about,
    model: card.id,
    expected: expectedQuality(findProfile(card), kind),
    request: JSON.stringify({ row: rowText(row), categories }),
  };
}

/** Folds a lesson in, as of a moment (Unix ms). */
export function foldLesson(
  learned: Learned,
  { model, score, weight, atMs, expected, request }: Lesson,
  nowMs: number,
): void {
  const asked = askedIn(request);
  if (asked === null) return;
  const left = weight * 2 ** -(Math.max(0, nowMs - atMs) / LESSON_HALF_LIFE_MS);
  learned.add(asked, { model, score, weight: left, expected });
}

/** True if a lesson's request says something here: one that was made with other parameters doesn't. */
export function isUnderstood(request: string): boolean {
  return askedIn(request) !== null;
}

function askedIn(request: string): Pick<Prediction, "row" | "categories"> | null {
  const kept = asObject(parseJson(request));
  const row = unpackRow(asString(kept.row) ?? "");
  return row?.length === rowWidth() ? { row, categories: sharesOf(kept.categories) } : null;
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

function sharesOf(value: unknown): Readonly<Record<Skill, number>> {
  const given = asObject(value);
  const share = (skill: Skill) => asNumber(given[skill]) ?? 0;
  return {
    math: share("math"),
    coding: share("coding"),
    reasoning: share("reasoning"),
    science: share("science"),
    knowledge: share("knowledge"),
    language: share("language"),
    data: share("data"),
    instruction: share("instruction"),
    tools: share("tools"),
  } satisfies Record<(typeof SKILLS)[number], number>;
}
