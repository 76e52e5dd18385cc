// Kept answers of the cache.
import type { CachedAnswer, CacheStore } from "../../core/models/cached-answer.ts";
import { INTEGER, TEXT, TIME } from "../columns/columns.ts";
import { readSum } from "../columns/found.ts";
import { bind, type Engine } from "../engine/engine.ts";
import { joinMarks, selectSql, upsertSql } from "../engine/sql.ts";
import { deleteInParts } from "../engine/turns.ts";
import { table } from "../schema/tables.ts";

const CACHED_ANSWER = table<CachedAnswer>("cached_answer", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  atMs: TIME,
  untilMs: TIME,
  bytes: INTEGER,
  sealed: TEXT,
});

/** Deleted in one statement, so that no other call waits long. */
const ROWS_AT_ONCE = 500;
/** A bound that was lowered is reached by the next trims. */
const TIMES_MAX = 20;

export function cacheMethods(engine: Engine): CacheStore {
  const { mark, run } = engine;
  const keep = upsertSql(CACHED_ANSWER, mark);
  const find = (count: number) => `${selectSql(CACHED_ANSWER)}
    WHERE account_id = ${mark(1)} AND id IN (${joinMarks(count, (at) => mark(at + 1))})`;
  const prune = `DELETE FROM cached_answer WHERE (account_id, id) IN (
    SELECT account_id, id FROM cached_answer WHERE until_ms < ${mark(1)} LIMIT ${mark(2)})`;
  /** The oldest rows that together have at least the bytes of value 1. */
  const trim = (where: string, at: number) => `DELETE FROM cached_answer WHERE (account_id, id) IN (
    SELECT account_id, id FROM (
      SELECT account_id, id, bytes, sum(bytes) OVER (ORDER BY at_ms, id ROWS UNBOUNDED PRECEDING) AS total
      FROM (SELECT account_id, id, bytes, at_ms FROM cached_answer ${where}
        ORDER BY at_ms, id LIMIT ${ROWS_AT_ONCE}) AS oldest
    ) AS sized WHERE total - bytes < ${mark(at)})`;
  return {
    find: async (accountId, ids) =>
      (await run(bind(find(ids.length), accountId, ...ids))).map(CACHED_ANSWER.rowOf),
    keep: async (answer) => {
      await run(bind(keep, ...CACHED_ANSWER.valuesOf(answer)));
    },
    async trim(bytesMax, accountId) {
      const [where, values] =
        accountId === undefined ? ["", []] : [`WHERE account_id = ${mark(1)}`, [accountId]];
      const sum = `SELECT coalesce(sum(bytes), 0) AS total FROM cached_answer ${where}`;
      for (let times = 0; times < TIMES_MAX; times++) {
        const [found] = await run(bind(sum, ...values));
        const over = found === undefined ? 0 : readSum(found, "total") - bytesMax;
        if (over <= 0) return;
        await run(bind(trim(where, values.length + 1), ...values, over));
      }
    },
    prune: (nowMs, rowsMax) =>
      deleteInParts(engine, rowsMax, async (most) => (await run(bind(prune, nowMs, most))).count),
  };
}
