// Merges a lesson with an existing one of the same id.
import type { Lesson } from "../../rows.ts";

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
