// A lesson: the scores of answers to one request, and how it is merged with an existing one of the same id.

/** The source of a score: the client, the operator's labels, or signs of breakage in the answer itself. */
export const LESSON_SOURCES = ["score", "label", "signal"] as const;
type LessonSource = (typeof LESSON_SOURCES)[number];

/** One model's score for a request. */
export interface LessonMark {
  /** The card's id. */
  readonly model: string;
  /** 0…1. */
  readonly score: number;
  /** The predicted quality before any learning, 0…1. */
  readonly expected: number;
}

/** The scores of answers to one request, with everything the selectors learn from them. */
export interface Lesson {
  readonly accountId: string;
  /** The completion's id. For labels, an id derived from their request, which has one lesson for all of them. */
  readonly id: string;
  /** The key that made the request. Empty for labels. */
  readonly keyId: string;
  /** The time of the latest score, in Unix milliseconds. */
  readonly atMs: number;
  readonly source: LessonSource;
  /** The weight of each score, 0…1. */
  readonly weight: number;
  /** The request as the predictor saw it: its `row` as JSON. */
  readonly request: string;
  /** One score, except for labels, which may cover many models. */
  readonly marks: readonly LessonMark[];
}

interface JoinedLesson {
  readonly lesson: Lesson;
  /** The scores that are new. */
  readonly added: number;
}

/**
 * The lesson to store, or null to leave the existing one. The first lesson of an id wins, but a judgment replaces an
 * automatic signal, and labels of one request are merged, one score per model.
 */
export function joinLessons(kept: Lesson | null, next: Lesson): JoinedLesson | null {
  if (kept?.source === "label" && next.source === "label") return addMarks(kept.marks, next);
  if (kept !== null && (kept.source !== "signal" || next.source === "signal")) return null;
  return next.source === "label" ? addMarks([], next) : { lesson: next, added: next.marks.length };
}

function addMarks(before: Lesson["marks"], next: Lesson): JoinedLesson | null {
  const marks = new Map(before.map((mark) => [`${mark.score} ${mark.model}`, mark]));
  for (const mark of next.marks) {
    const name = `${mark.score} ${mark.model}`;
    if (!marks.has(name)) marks.set(name, mark);
  }
  const added = marks.size - before.length;
  return added === 0 ? null : { lesson: { ...next, marks: [...marks.values()] }, added };
}
