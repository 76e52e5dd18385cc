// The PostgreSQL store's lessons for the selectors.
import type { Store } from "../../core/store.ts";
import { LESSON } from "../log-tables.ts";
import { listOf, marksOf } from "../sql.ts";
import { query } from "./connection.ts";
import type { Pool } from "./pool.ts";
import { selectFrom } from "./reading.ts";

const TEACH = `
  INSERT INTO lesson (${listOf(LESSON.columns)}) VALUES (${marksOf(LESSON.columns.length, (at) => `$${at}`)})
  ON CONFLICT (account_id, id) DO NOTHING`;
const LESSONS = `${selectFrom(LESSON)} WHERE at_ms >= $1 ORDER BY at_ms, id LIMIT $2`;

export function lessonMethods(pool: Pool): Pick<Store, "teach" | "lessons" | "forgetLessons"> {
  return {
    teach: async (lesson) => (await pool.one(query(TEACH, ...LESSON.valuesOf(lesson)))).count > 0,
    lessons: async (fromMs, most) => (await pool.one(query(LESSONS, fromMs, most))).map(LESSON.rowOf),
    forgetLessons: async (model) => {
      const all = query("DELETE FROM lesson WHERE id <> $1", "");
      await pool.one(model === undefined ? all : query("DELETE FROM lesson WHERE model = $1", model));
    },
  };
}
