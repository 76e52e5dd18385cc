// The SQLite store's lessons for the selectors.
import type { Store } from "../../core/store.ts";
import { whole } from "../found.ts";
import { LESSON } from "../log-tables.ts";
import type { Lifeline } from "./lifeline.ts";

type LessonMethods = Pick<Store, "teach" | "lessons" | "forgetLessons" | "pruneLessons">;

export function lessonMethods(lifeline: Lifeline): LessonMethods {
  return {
    teach: (lesson, bound) =>
      lifeline.run((connection) =>
        connection.write(() => {
          const { sql } = connection;
          const { keyId, model, source } = lesson;
          const before = bound && sql.countLessons.get(keyId, model, source, Math.round(bound.sinceMs));
          const weight = lesson.weight * (bound?.shareAfter(whole(before ?? {}, "lessons")) ?? 1);
          return weight > 0 && sql.teach.run(...LESSON.valuesOf({ ...lesson, weight })).changes > 0;
        }),
      ),
    lessons: (fromMs, most) => lifeline.run(({ sql }) => sql.lessons.all(fromMs, most).map(LESSON.rowOf)),
    forgetLessons: (model) =>
      lifeline.run((connection) =>
        connection.write(() => {
          connection.sql.forgetLessons.run(model ?? null, model ?? null);
        }),
      ),
    pruneLessons: ({ sinceMs, perModel, perKeyAndModel }) =>
      lifeline.run((connection) =>
        connection.write(
          () => connection.sql.pruneLessons.run(Math.round(sinceMs), perKeyAndModel, perModel).changes,
        ),
      ),
  };
}
