// The PostgreSQL store's lessons for the selectors.
import type { Store } from "../../core/store.ts";
import { whole } from "../found.ts";
import { LESSON } from "../log-tables.ts";
import { pruneLessonsSql, teachSql } from "../sql.ts";
import { query } from "./connection.ts";
import type { Pool } from "./pool.ts";
import { selectFrom } from "./reading.ts";

const mark = (position: number) => `$${position}`;

/** Those who teach for one key wait for each other, so that its bound is exact. */
const LOCK_KEY = "SELECT id FROM gateway_key WHERE id = $1 FOR UPDATE";
const COUNT = `
  SELECT count(*) AS lessons FROM lesson WHERE key_id = $1 AND model = $2 AND source = $3 AND at_ms >= $4`;
const TEACH = teachSql(LESSON, mark);
const LESSONS = `${selectFrom(LESSON)} WHERE at_ms >= $1 ORDER BY at_ms, id, account_id LIMIT $2`;
const PRUNE = pruneLessonsSql(mark);

type LessonMethods = Pick<Store, "teach" | "lessons" | "forgetLessons" | "pruneLessons">;

export function lessonMethods(pool: Pool): LessonMethods {
  return {
    teach: async (lesson, bound) => {
      if (bound === undefined) return (await pool.one(query(TEACH, ...LESSON.valuesOf(lesson)))).count > 0;
      const { keyId, model, source } = lesson;
      const count = query(COUNT, keyId, model, source, Math.round(bound.sinceMs));
      return pool.change([query(LOCK_KEY, keyId), count], ([, found]) => {
        const weight = lesson.weight * bound.shareAfter(whole(found?.[0] ?? {}, "lessons"));
        const writes = weight > 0 ? [query(TEACH, ...LESSON.valuesOf({ ...lesson, weight }))] : [];
        return { writes, gives: ([taught]) => (taught?.count ?? 0) > 0 };
      });
    },
    lessons: async (fromMs, most) => (await pool.one(query(LESSONS, fromMs, most))).map(LESSON.rowOf),
    forgetLessons: async (model) => {
      const all = query("DELETE FROM lesson WHERE id <> $1", "");
      await pool.one(model === undefined ? all : query("DELETE FROM lesson WHERE model = $1", model));
    },
    pruneLessons: async ({ sinceMs, perModel, perKeyAndModel }) =>
      (await pool.one(query(PRUNE, Math.round(sinceMs), perKeyAndModel, perModel))).count,
  };
}
