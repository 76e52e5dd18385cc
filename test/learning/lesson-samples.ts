// A lesson for tests, about one model by default.
import type { Lesson, LessonMark } from "../../src/core/models/learned/lesson.ts";
import { NOON } from "../harness/samples.ts";

export const TAUGHT_MODEL = "Sim#echo";

/** A client's score of the model `Sim#echo`; labels have no key. */
export function makeLessonRow(id: string, fields: Partial<Lesson & LessonMark> = {}): Lesson {
  const { model = TAUGHT_MODEL, score = 0.75, expected = 0.5, ...rest } = fields;
  return {
    accountId: "default",
    id,
    keyId: rest.source === "label" ? "" : "key",
    atMs: NOON,
    source: "score",
    weight: 1,
    request: JSON.stringify({ row: "AACAPw==" }),
    marks: [{ model, score, expected }],
    ...rest,
  };
}
