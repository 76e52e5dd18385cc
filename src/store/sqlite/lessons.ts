// The SQLite store's lessons for the selectors.
import type { Store } from "../../core/store.ts";
import { LESSON } from "../log-tables.ts";
import type { Lifeline } from "./lifeline.ts";

export function lessonMethods(lifeline: Lifeline): Pick<Store, "teach" | "lessons" | "forgetLessons"> {
  return {
    teach: (lesson) =>
      lifeline.run((connection) =>
        connection.write(() => connection.sql.teach.run(...LESSON.valuesOf(lesson)).changes > 0),
      ),
    lessons: (fromMs, most) => lifeline.run(({ sql }) => sql.lessons.all(fromMs, most).map(LESSON.rowOf)),
    forgetLessons: (model) =>
      lifeline.run((connection) =>
        connection.write(() => {
          connection.sql.forgetLessons.run(model ?? null, model ?? null);
        }),
      ),
  };
}
