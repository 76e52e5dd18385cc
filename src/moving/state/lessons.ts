// The lessons on refusals of a state file: those that count for everybody, which another gateway needn't learn again.
import type { JsonObject } from "../../core/json/json.ts";
import type { LessonCondition } from "../../core/models/learned/condition.ts";
import { nameLesson, type RefusalLesson } from "../../core/models/learned/refusal-lesson.ts";
import { parseRefusal } from "../../core/models/refusals.ts";
import type { Change, Draft } from "./draft.ts";
import type { LessonEntry } from "./file.ts";
import type { StateWorld } from "./known.ts";

/** Those that a file no longer has stay, as they end by themselves. */
export function planLessons(draft: Draft, { clock }: Pick<StateWorld, "clock">): void {
  const known = new Set(draft.known.lessons.filter(isShared).map(nameLesson));
  for (const entry of draft.state.lessons) {
    const { model, host, refuses: word } = entry.fields;
    if (parseRefusal(word)?.isTaken !== false)
      draft.refuse(entry, "refuses", "expected a word for what a model refuses; see /docs/refuses");
    else if (known.has(nameLesson({ model, host, word }))) draft.unchanged++;
    else draft.changes.push(planLesson(entry, clock.nowMs()));
  }
}

function planLesson({ fields }: LessonEntry, nowMs: number): Change {
  const { model, host, refuses: word } = fields;
  const conditions = fields.conditions?.map(({ all, some = null }) => ({ all, some })) ?? null;
  const place = { model, host, word };
  const times = { firstSeenAtMs: nowMs, seenAtMs: nowMs, triedAtMs: nowMs };
  const lesson = { ...place, ...times, confirmedAtMs: nowMs, sharedAtMs: nowMs, payers: [], conditions };
  return {
    kind: "lesson",
    id: nameLesson(place),
    name: `${model} ${word}`,
    account: null,
    action: "model.changed",
    before: null,
    after: { ...fields },
    isDrift: false,
    run: ({ changes }) => changes.addRefusalLesson(lesson),
  };
}

export function writeLessons(lessons: readonly RefusalLesson[]): readonly JsonObject[] {
  return lessons
    .filter(isShared)
    .toSorted((a, b) => (nameLesson(a) < nameLesson(b) ? -1 : 1))
    .map(({ model, host, word, conditions }): LessonEntry["fields"] => ({
      model,
      host,
      refuses: word,
      ...(conditions === null ? {} : { conditions: conditions.map(copyCondition) }),
    }));
}

function copyCondition({ all, some }: LessonCondition) {
  return { all: [...all], ...(some === null ? {} : { some: [...some] }) };
}

function isShared({ sharedAtMs }: RefusalLesson): boolean {
  return sharedAtMs !== null;
}
