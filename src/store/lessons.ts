// Lessons for the selectors, learned from scored answers and the operator's labels.
import { asArray, asNumber, asString, parseJson } from "../core/json.ts";
import { joinLessons } from "../core/lesson.ts";
import { LESSON_SOURCES, type Lesson, type LessonMark } from "../core/rows.ts";
import type { LessonBound, Store } from "../core/store.ts";
import { makeJson, makeWord, NUMBER, TEXT, TIME } from "./columns.ts";
import { bind, type Change, type Engine, type Result, readFirst } from "./engine.ts";
import { readInteger } from "./found.ts";
import { insertSql, joinNames, pruneSql, selectSql, upsertSql } from "./sql.ts";
import { table } from "./tables.ts";

const LESSON = table<Lesson>(
  "lesson",
  ["account_id", "id"],
  {
    accountId: TEXT,
    id: TEXT,
    atMs: TIME,
    keyId: TEXT,
    source: makeWord(LESSON_SOURCES),
    weight: NUMBER,
    request: TEXT,
    marks: { ...makeJson(readMarks), write: writeMarks },
  },
  { model: { type: "text", write: findBoundedModel } },
);

/** The model that a key's lessons are counted under. Labels have no key and cover many models. */
function findBoundedModel({ source, marks }: Lesson): string {
  return source === "label" ? "" : (marks[0]?.model ?? "");
}

function writeMarks(marks: readonly LessonMark[]): string {
  return JSON.stringify(marks.map(({ model, score, expected }) => [model, score, expected]));
}

function readMarks(json: string): readonly LessonMark[] {
  return asArray(parseJson(json)).map((mark) => {
    const [model, score, expected] = asArray(mark);
    return { model: asString(model) ?? "", score: asNumber(score) ?? 0, expected: asNumber(expected) ?? 0 };
  });
}

export function lessonMethods(engine: Engine) {
  const { mark, otherMarks, contains, run, runAll } = engine;
  const teach = teachOn(engine);
  const [first, second] = [mark(1), mark(2)];
  const from = `${selectSql(LESSON)} WHERE at_ms >= ${first} ORDER BY at_ms, id, account_id LIMIT ${second}`;
  const forgetAll = `DELETE FROM lesson WHERE id <> ${first}`;
  const forget = `DELETE FROM lesson WHERE model = ${first}`;
  const forgetLabels = `UPDATE lesson SET marks = ${otherMarks} WHERE source = 'label' AND ${contains("marks", second)}`;
  const forgetEmpty = `DELETE FROM lesson WHERE marks = ${first}`;
  const drop = `DELETE FROM lesson WHERE account_id = ${first} AND id = ${second}`;
  return {
    teach,
    lessons: async (fromMs, most) => (await run(bind(from, fromMs, most))).map(LESSON.rowOf),
    forgetLessons: (model) => {
      if (model === undefined) return runAll([bind(forgetAll, "")]);
      const labels = bind(forgetLabels, JSON.stringify({ model }), JSON.stringify(model));
      return runAll([bind(forget, model), labels, bind(forgetEmpty, "[]")]);
    },
    pruneLessons: async (beforeMs, rowsMax) =>
      (await run(bind(pruneSql(LESSON.name, mark), Math.round(beforeMs), rowsMax))).count,
    dropLessons: (lessons) => runAll(lessons.map(({ accountId, id }) => bind(drop, accountId, id))),
  } satisfies Partial<Store>;
}

const TRIES_MAX = 5;

function teachOn({ mark, forUpdate, change }: Engine): Store["teach"] {
  const [first, second, third, fourth] = [mark(1), mark(2), mark(3), mark(4)];
  /** Lessons of one key wait for each other, so that its bound is exact. */
  const lockKey = `SELECT id FROM gateway_key WHERE id = ${first} ${forUpdate}`;
  const count = `SELECT count(*) AS lessons FROM lesson
    WHERE key_id = ${first} AND model = ${second} AND source = ${third} AND at_ms >= ${fourth}`;
  const lockLesson = `${selectSql(LESSON)} WHERE account_id = ${first} AND id = ${second} ${forUpdate}`;
  /** A row added meanwhile was not locked: it stays, and a retry joins the lesson to it. */
  const add = `${insertSql(LESSON, mark)} ON CONFLICT (${joinNames(LESSON.key)}) DO NOTHING`;
  const replace = upsertSql(LESSON, mark);
  /** Values: account, key, model and a number. Deletes the key's oldest lessons beyond that number. */
  const own = `account_id = ${first} AND key_id = ${second} AND model = ${third}`;
  const forgetOldest = `DELETE FROM lesson WHERE ${own} AND at_ms < (
    SELECT at_ms FROM lesson WHERE ${own} ORDER BY at_ms DESC LIMIT 1 OFFSET ${fourth})`;
  /** The result is null if another transaction has added the lesson's row meanwhile. */
  const join = (
    lesson: Lesson,
    bound: LessonBound | undefined,
    [row, , counted]: readonly Result[],
  ): Change<number | null> => {
    const { accountId, keyId } = lesson;
    const found = readFirst(LESSON, row);
    const weight = lesson.weight * (bound?.shareAfter(readInteger(counted?.[0] ?? {}, "lessons")) ?? 1);
    const joined = weight > 0 ? joinLessons(found, { ...lesson, weight }) : null;
    if (joined === null) return { writes: [], toResult: () => 0 };
    const write = bind(found ? replace : add, ...LESSON.valuesOf(joined.lesson));
    const bounding = bound
      ? [bind(forgetOldest, accountId, keyId, findBoundedModel(lesson), bound.keptMax - 1)]
      : [];
    return {
      writes: [write, ...bounding],
      toResult: ([written]) => ((written?.count ?? 0) > 0 ? joined.added : null),
    };
  };
  return async (lesson, bound) => {
    const { accountId, id, keyId, source } = lesson;
    const sinceMs = Math.round(bound?.sinceMs ?? 0);
    const counting = bind(count, keyId, findBoundedModel(lesson), source, sinceMs);
    const firsts = bound === undefined ? [] : [bind(lockKey, keyId), counting];
    for (let tries = 1; ; tries++) {
      const added = await change([bind(lockLesson, accountId, id), ...firsts], (results) =>
        join(lesson, bound, results),
      );
      if (added !== null) return added;
      if (tries === TRIES_MAX) throw new Error("A lesson was repeatedly changed by other processes.");
    }
  };
}
