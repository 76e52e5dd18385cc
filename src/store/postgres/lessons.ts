// The PostgreSQL store's lessons for the selectors.
import { joinLessons } from "../../core/lesson.ts";
import type { Lesson } from "../../core/rows.ts";
import type { LessonBound, Store } from "../../core/store.ts";
import { whole } from "../found.ts";
import { LESSON, modelOfLesson } from "../log-tables.ts";
import { boundLessonsSql, composeOverwrite, joinMarks, joinNames } from "../sql.ts";
import { query, type Result } from "./connection.ts";
import type { Changing, Pool } from "./pool.ts";
import { selectFrom } from "./reading.ts";

const mark = (position: number) => `$${position}`;

/** Those who teach for one key wait for each other, so that its bound is exact. */
const LOCK_KEY = "SELECT id FROM gateway_key WHERE id = $1 FOR UPDATE";
const COUNT = `
  SELECT count(*) AS lessons FROM lesson WHERE key_id = $1 AND model = $2 AND source = $3 AND at_ms >= $4`;
const LOCK_LESSON = `${selectFrom(LESSON)} WHERE account_id = $1 AND id = $2 FOR UPDATE`;
const INSERT = `INSERT INTO lesson (${joinNames(LESSON.columns)}) VALUES (${joinMarks(LESSON.columns.length, mark)})`;
/** A row that came meanwhile can't have been locked, so it stays, and the lesson is joined to it. */
const ADD = `${INSERT} ON CONFLICT (${joinNames(LESSON.key)}) DO NOTHING`;
const REPLACE = `${INSERT} ${composeOverwrite(LESSON.key, LESSON.columns)}`;
const BOUND = boundLessonsSql(mark);
const LESSONS = `${selectFrom(LESSON)} WHERE at_ms >= $1 ORDER BY at_ms, id, account_id LIMIT $2`;
/** A distributed engine takes no function here whose result could change, such as `json_agg`. */
const FORGET_LABELS = `
  UPDATE lesson SET marks =
    jsonb_path_query_array(marks::jsonb, 'strict $[*] ? (@[0] != $model)', $1::text::jsonb)::text
  WHERE source = 'label' AND strpos(marks, $2) > 0`;
const TRIES_MAX = 5;

type LessonMethods = Pick<Store, "teach" | "lessons" | "forgetLessons" | "pruneLessons" | "dropLessons">;

export function lessonMethods(pool: Pool): LessonMethods {
  return {
    teach: (lesson, bound) => teach(pool, lesson, bound),
    lessons: async (fromMs, most) => (await pool.one(query(LESSONS, fromMs, most))).map(LESSON.rowOf),
    forgetLessons: async (model) => {
      if (model === undefined) {
        await pool.one(query("DELETE FROM lesson WHERE id <> $1", ""));
        return;
      }
      await pool.one(query("DELETE FROM lesson WHERE model = $1", model));
      await pool.one(query(FORGET_LABELS, JSON.stringify({ model }), JSON.stringify(model)));
      await pool.one(query("DELETE FROM lesson WHERE marks = $1", "[]"));
    },
    pruneLessons: async (beforeMs) =>
      (await pool.one(query("DELETE FROM lesson WHERE at_ms < $1", Math.round(beforeMs)))).count,
    dropLessons: async (lessons) => {
      for (const [accountId, own] of Map.groupBy(lessons, (lesson) => lesson.accountId)) {
        const ids = own.map(({ id }) => id);
        await pool.one(
          query("DELETE FROM lesson WHERE account_id = $1 AND id = ANY($2::text[])", accountId, ids),
        );
      }
    },
  };
}

async function teach(pool: Pool, lesson: Lesson, bound: LessonBound | undefined): Promise<number> {
  const { accountId, id, keyId, source } = lesson;
  const model = modelOfLesson(lesson);
  const count = query(COUNT, keyId, model, source, Math.round(bound?.sinceMs ?? 0));
  const counting = bound === undefined ? [] : [query(LOCK_KEY, keyId), count];
  for (let tries = 1; ; tries++) {
    const added = await pool.change([query(LOCK_LESSON, accountId, id), ...counting], (results) =>
      join(lesson, bound, results),
    );
    if (added !== null) return added;
    if (tries === TRIES_MAX) throw new Error("A lesson was changed again and again by others.");
  }
}

/** The result is null when another has written the lesson's row meanwhile. */
function join(
  lesson: Lesson,
  bound: LessonBound | undefined,
  [row, , counted]: readonly Result[],
): Changing<number | null> {
  const { accountId, keyId } = lesson;
  const model = modelOfLesson(lesson);
  const [found] = row ?? [];
  const weight = lesson.weight * (bound?.shareAfter(whole(counted?.[0] ?? {}, "lessons")) ?? 1);
  const joined = weight > 0 ? joinLessons(found ? LESSON.rowOf(found) : null, { ...lesson, weight }) : null;
  if (joined === null) return { writes: [], gives: () => 0 };
  const write = query(found ? REPLACE : ADD, ...LESSON.valuesOf(joined.lesson));
  const own = [accountId, keyId, model] as const;
  const bounding = bound ? [query(BOUND, ...own, ...own, bound.keptMax - 1)] : [];
  return {
    writes: [write, ...bounding],
    gives: ([written]) => ((written?.count ?? 0) > 0 ? joined.added : null),
  };
}
