// The rows of lessons on refusals, which processes join, and read again once their version changes.
import type { Changes } from "../../core/changes.ts";
import { asArray, asObject, parseJson } from "../../core/json/json.ts";
import type { LessonCondition } from "../../core/models/learned/condition.ts";
import {
  joinLesson,
  LESSONS_MAX,
  type LessonPlace,
  type RefusalLesson,
  type RefusalLessonStore,
} from "../../core/models/learned/refusal-lesson.ts";
import { allowNull, makeJson, TEXT, TIME } from "../columns/columns.ts";
import { readText } from "../columns/found.ts";
import { bind, type Engine, readFirst, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { insertSql, joinNames, type Mark, selectSql, upsertSql } from "../engine/sql.ts";
import { table } from "../schema/tables.ts";

const LESSON = table<RefusalLesson>("refusal_lesson", ["model", "host", "word"], {
  model: TEXT,
  host: TEXT,
  word: TEXT,
  firstSeenAtMs: TIME,
  seenAtMs: TIME,
  triedAtMs: TIME,
  confirmedAtMs: allowNull(TIME),
  sharedAtMs: allowNull(TIME),
  payers: makeJson<readonly string[]>((json) =>
    asArray(parseJson(json)).filter((one) => typeof one === "string"),
  ),
  conditions: allowNull(
    makeJson<readonly LessonCondition[]>((json) => asArray(parseJson(json)).map(readCondition)),
  ),
});

function readCondition(value: unknown): LessonCondition {
  const { all, some } = asObject(value);
  return { all: asArray(all).map(String), some: some === null ? null : asArray(some).map(String) };
}

/** Several processes may add to a full table before one of them ends what is beyond the bound. */
const ROWS_MAX = 2 * LESSONS_MAX;
const VERSION = "refusal_lessons";

/** The statements that join a lesson to what is known. */
function composeJoin({ mark, forUpdate, change }: Engine) {
  const keep = `${insertSql(LESSON, mark)} ON CONFLICT (${joinNames(LESSON.key)}) DO NOTHING`;
  const lock = `${selectSql(LESSON)} WHERE ${matchPlace(mark)} ${forUpdate}`;
  const write = upsertSql(LESSON, mark);
  const renew = composeRenewal(mark);
  return (lesson: RefusalLesson, recorded: readonly Statement[] = []): Promise<void> =>
    // A missing row can't be locked, so the lesson itself is added first.
    change([bind(keep, ...LESSON.valuesOf(lesson)), bind(lock, ...listPlace(lesson))], ([, found]) => {
      const joined = joinLesson(readFirst(LESSON, found), lesson);
      const writes = [bind(write, ...LESSON.valuesOf(joined)), renew, ...recorded];
      return { writes, toResult: () => undefined };
    });
}

function matchPlace(mark: Mark): string {
  return `model = ${mark(1)} AND host = ${mark(2)} AND word = ${mark(3)}`;
}

function listPlace({ model, host, word }: LessonPlace) {
  return [model, host, word] as const;
}

/** Changes the version of all lessons. */
function composeRenewal(mark: Mark): Statement {
  return bind(
    `INSERT INTO setting (name, value) VALUES (${mark(1)}, '1') ON CONFLICT (name)
      DO UPDATE SET value = CAST(CAST(setting.value AS BIGINT) + 1 AS TEXT)`,
    VERSION,
  );
}

export function refusalLessonMethods(engine: Engine): RefusalLessonStore {
  const { mark, forUpdate, run, runOnce, change } = engine;
  const list = `${selectSql(LESSON)} ORDER BY seen_at_ms DESC LIMIT ${mark(1)}`;
  const ofModel = `model = ${mark(1)} AND host = ${mark(2)}`;
  const lockModel = `${selectSql(LESSON)} WHERE ${ofModel} ORDER BY word ${forUpdate}`;
  const take = `UPDATE refusal_lesson SET tried_at_ms = CAST(${mark(3)} AS BIGINT) WHERE ${ofModel}`;
  const end = `DELETE FROM refusal_lesson WHERE ${matchPlace(mark)}`;
  const version = `SELECT value FROM setting WHERE name = ${mark(1)}`;
  const renew = composeRenewal(mark);
  const join = composeJoin(engine);
  return {
    list: async () => (await run(bind(list, ROWS_MAX))).map(LESSON.rowOf),
    version: async () => {
      const [found] = await run(bind(version, VERSION));
      return found ? readText(found, "value") : null;
    },
    add: (lesson) => join(lesson),
    takeTrial: ({ model, host }, beforeMs, nowMs) =>
      change([bind(lockModel, model, host)], ([found]) => {
        const isDue = found?.some((row) => LESSON.rowOf(row).triedAtMs <= beforeMs) ?? false;
        const writes = isDue ? [bind(take, model, host, Math.round(nowMs)), renew] : [];
        return { writes, toResult: () => isDue };
      }),
    end: async (lesson) => (await runOnce(bind(end, ...listPlace(lesson)), renew)).count > 0,
  };
}

export function refusalLessonChanges(engine: Engine, record: Recorder) {
  return {
    addRefusalLesson: (lesson) => composeJoin(engine)(lesson, record({ kind: "refusal_lesson", lesson })),
  } satisfies Partial<Changes>;
}
