// The SQLite store's lessons for the selectors.
import { joinLessons } from "../../core/lesson.ts";
import type { Lesson } from "../../core/rows.ts";
import type { LessonBound, Store } from "../../core/store.ts";
import { whole } from "../found.ts";
import { LESSON, modelOfLesson } from "../log-tables.ts";
import type { Lifeline } from "./lifeline.ts";
import type { Statements } from "./statements.ts";

type LessonMethods = Pick<Store, "teach" | "lessons" | "forgetLessons" | "pruneLessons" | "dropLessons">;

export function lessonMethods(lifeline: Lifeline): LessonMethods {
  return {
    teach: (lesson, bound) =>
      lifeline.run((connection) => connection.write(() => teach(connection.sql, lesson, bound))),
    lessons: (fromMs, most) => lifeline.run(({ sql }) => sql.lessons.all(fromMs, most).map(LESSON.rowOf)),
    forgetLessons: (model) =>
      lifeline.run((connection) =>
        connection.write(() => {
          const { sql } = connection;
          sql.forgetLessons.run(model ?? null, model ?? null);
          if (model === undefined) return;
          sql.forgetLabels.run(model, JSON.stringify(model));
          sql.forgetEmpty.run();
        }),
      ),
    pruneLessons: (beforeMs, rowsMax) =>
      lifeline.run((connection) =>
        connection.write(() => connection.sql.pruneLessons.run(Math.round(beforeMs), rowsMax).changes),
      ),
    dropLessons: (lessons) =>
      lifeline.run((connection) =>
        connection.write(() => {
          for (const { accountId, id } of lessons) connection.sql.dropLesson.run(accountId, id);
        }),
      ),
  };
}

function teach(sql: Statements, lesson: Lesson, bound: LessonBound | undefined): number {
  const { accountId, id, keyId, source } = lesson;
  const model = modelOfLesson(lesson);
  const before = bound && sql.countLessons.get(keyId, model, source, Math.round(bound.sinceMs));
  const weight = lesson.weight * (bound?.shareAfter(whole(before ?? {}, "lessons")) ?? 1);
  const found = sql.lesson.get(accountId, id);
  const joined = weight > 0 ? joinLessons(found && LESSON.rowOf(found), { ...lesson, weight }) : null;
  if (joined === null) return 0;
  sql.teach.run(...LESSON.valuesOf(joined.lesson));
  if (bound) sql.boundLessons.run(accountId, keyId, model, accountId, keyId, model, bound.keptMax - 1);
  return joined.added;
}
