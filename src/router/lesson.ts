// From a kept decision and a score to a lesson, and from lessons to what was learned.
import type { ModelCard } from "../core/card.ts";
import { isObject, numberOf, objectOf, parseJson, stringOf } from "../core/json.ts";
import type { Lesson } from "../core/rows.ts";
import type { SKILLS, Skill } from "../core/skill.ts";
import { rowOf, rowText } from "./decision.ts";
import type { Learned } from "./learned.ts";
import type { Prediction } from "./predictor.ts";
import { profileOf } from "./profiles.ts";
import { expectedQuality } from "./quality.ts";

/** What is learned from: the part of a prediction that says of what kind a request was. */
export type Kind = Pick<Prediction, "row" | "categories" | "difficultyLogit" | "support">;

/** What kind of request a kept decision was about; null: that is no decision. */
export function kindOf(decision: string): Kind | null {
  const kept = parseJson(decision);
  if (!isObject(kept)) return null;
  const row = rowOf(stringOf(kept.row) ?? "");
  const features = objectOf(kept.features);
  const difficulty = numberOf(kept.difficulty);
  if (row === null || difficulty === undefined) return null;
  const within = Math.min(0.999, Math.max(0.001, difficulty));
  return {
    row,
    categories: sharesOf(features.categories),
    difficultyLogit: 1.5 * Math.log(within / (1 - within)),
    support: numberOf(features.support) ?? 0,
  };
}

/** The lesson that an answer of this card to such a request was so good. */
export function lessonOf(
  about: Pick<Lesson, "accountId" | "id" | "atMs" | "score">,
  card: ModelCard,
  kind: Kind,
): Lesson {
  const { row, categories } = kind;
  return {
    ...about,
    model: card.id,
    expected: expectedQuality(profileOf(card, card.skills), kind),
    request: JSON.stringify({ row: rowText(row), categories }),
  };
}

/** Folds a lesson in; one that was made with other parameters says nothing any more. */
export function foldLesson(
  learned: Learned,
  { model, score, expected, request }: Lesson,
  width: number,
): void {
  const kept = objectOf(parseJson(request));
  const row = rowOf(stringOf(kept.row) ?? "");
  if (row?.length !== width) return;
  learned.fold({ row, categories: sharesOf(kept.categories) }, { model, score, weight: 1, expected });
}

function sharesOf(value: unknown): Readonly<Record<Skill, number>> {
  const given = objectOf(value);
  const share = (skill: Skill) => numberOf(given[skill]) ?? 0;
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
