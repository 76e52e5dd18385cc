// Lessons for the selectors, learned from scored answers and the operator's labels.
import type { Changes } from "../../core/changes.ts";
import { asArray, asNumber, asString, parseJson } from "../../core/json/json.ts";
import {
  joinLessons,
  LESSON_SOURCES,
  type Lesson,
  type LessonMark,
} from "../../core/models/learned/lesson.ts";
import type { LessonBound, Store } from "../../core/store.ts";
import { makeJson, makeWord, NUMBER, TEXT, TIME } from "../columns/columns.ts";
import { readInteger } from "../columns/found.ts";
import { bind, type Change, type Engine, type Result, readFirst } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { insertSql, joinNames, pruneSql, selectSql, upsertSql } from "../engine/sql.ts";
import { table } from "../schema/tables.ts";

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

/** The model that an account's lessons are counted under. Labels are the operator's and cover many models. */
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
  const { mark, run, runAll } = engine;
  const teach = teachOn(engine);
  const first = mark(1);
  const second = mark(2);
  const from = `${selectSql(LESSON)} WHERE at_ms >= ${first} ORDER BY at_ms, id, account_id LIMIT ${second}`;
  const drop = `DELETE FROM lesson WHERE account_id = ${first} AND id = ${second}`;
  return {
    teach,
    lessons: async (fromMs, most) => (await run(bind(from, fromMs, most))).map(LESSON.rowOf),
    pruneLessons: async (beforeMs, rowsMax) =>
      (await run(bind(pruneSql(LESSON.name, mark), Math.round(beforeMs), rowsMax))).count,
    dropLessons: (lessons) => runAll(lessons.map(({ accountId, id }) => bind(drop, accountId, id))),
  } satisfies Partial<Store>;
}

export function lessonChanges({ mark, otherMarks, contains, change }: Engine, record: Recorder) {
  const first = mark(1);
  const second = mark(2);
  const forgetAll = `DELETE FROM lesson WHERE id <> ${first}`;
  const forget = `DELETE FROM lesson WHERE model = ${first}`;
  const forgetLabels = `UPDATE lesson SET marks = ${otherMarks} WHERE source = 'label' AND ${contains("marks", second)}`;
  const forgetEmpty = `DELETE FROM lesson WHERE marks = ${first}`;
  return {
    forgetLessons: (model) => {
      const recorded = record({ kind: "lessons", model: model ?? null });
      const forgotten =
        model === undefined
          ? [bind(forgetAll, "")]
          : [
              bind(forget, model),
              bind(forgetLabels, JSON.stringify({ model }), JSON.stringify(model)),
              bind(forgetEmpty, "[]"),
            ];
      return change([], () => ({ writes: [...forgotten, ...recorded], toResult: () => undefined }));
    },
  } satisfies Partial<Changes>;
}

const TRIES_MAX = 5;
const FORGOTTEN_AT_ONCE = 100;

/** The statements of `teach`. */
function composeTeaching({ mark, forUpdate }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const fourth = mark(4);
  /**
   * Lessons of one account wait for each other, so that its bound is exact. The account is locked before any lesson,
   * because another transaction may hold it while it deletes the account's oldest ones.
   */
  const lockAccount = `SELECT id FROM account WHERE id = ${first} ${forUpdate}`;
  const count = `SELECT count(*) AS lessons FROM lesson
    WHERE account_id = ${first} AND model = ${second} AND source = ${third} AND at_ms >= ${fourth}`;
  const lockLesson = `${selectSql(LESSON)} WHERE account_id = ${first} AND id = ${second} ${forUpdate}`;
  /** A row added meanwhile was not locked: it stays, and a retry joins the lesson to it. */
  const add = `${insertSql(LESSON, mark)} ON CONFLICT (${joinNames(LESSON.key)}) DO NOTHING`;
  const replace = upsertSql(LESSON, mark);
  /**
   * Values: account, model, a number, and the most rows to delete. Deletes the account's oldest lessons beyond that
   * number. A store from before accounts were bounded may hold thousands more, which are deleted over many lessons.
   */
  const own = `account_id = ${first} AND model = ${second}`;
  const forgetOldest = `DELETE FROM lesson WHERE account_id = ${first} AND id IN (
    SELECT id FROM lesson WHERE ${own} AND at_ms < (
      SELECT at_ms FROM lesson WHERE ${own} ORDER BY at_ms DESC LIMIT 1 OFFSET ${third})
    ORDER BY at_ms LIMIT ${fourth})`;
  return { lockAccount, count, lockLesson, add, replace, forgetOldest };
}

function teachOn(engine: Engine): Store["teach"] {
  const { lockAccount, count, lockLesson, add, replace, forgetOldest } = composeTeaching(engine);
  /** The result is null if another transaction has added the lesson's row meanwhile. */
  const join = (
    lesson: Lesson,
    bound: LessonBound | undefined,
    [row, counted]: readonly Result[],
  ): Change<number | null> => {
    const found = readFirst(LESSON, row);
    const weight = lesson.weight * (bound?.shareAfter(readInteger(counted?.[0] ?? {}, "lessons")) ?? 1);
    const joined = weight > 0 ? joinLessons(found, { ...lesson, weight }) : null;
    if (joined === null) return { writes: [], toResult: () => 0 };
    const write = bind(found ? replace : add, ...LESSON.valuesOf(joined.lesson));
    const bounding = bound
      ? [bind(forgetOldest, lesson.accountId, findBoundedModel(lesson), bound.keptMax - 1, FORGOTTEN_AT_ONCE)]
      : [];
    return {
      writes: [write, ...bounding],
      toResult: ([written]) => ((written?.count ?? 0) > 0 ? joined.added : null),
    };
  };
  return async (lesson, bound) => {
    const { accountId, id, source } = lesson;
    const finding = bind(lockLesson, accountId, id);
    const sinceMs = Math.round(bound?.sinceMs ?? 0);
    const counting = bind(count, accountId, findBoundedModel(lesson), source, sinceMs);
    const firsts = bound === undefined ? [finding] : [bind(lockAccount, accountId), finding, counting];
    for (let tries = 1; ; tries++) {
      const added = await engine.change(firsts, (results) =>
        join(lesson, bound, bound === undefined ? results : results.slice(1)),
      );
      if (added !== null) return added;
      if (tries === TRIES_MAX) throw new Error("A lesson was repeatedly changed by other processes.");
    }
  };
}
