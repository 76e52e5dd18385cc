// The PostgreSQL store's request log, and its pruning.
import type { Store } from "../../core/store.ts";
import { readText } from "../columns/found.ts";
import { bind, readFirst } from "../engine/engine.ts";
import { askRequests } from "../engine/narrowing.ts";
import { narrowToScope, USE_ROWS } from "../engine/scope.ts";
import { pruneSql, selectSql } from "../engine/sql.ts";
import { searchLog } from "../log/log-search.ts";
import { makeOriginEraser } from "../log/origins.ts";
import { pruneCalled } from "../log/provider-calls.ts";
import { LISTED_REQUEST, REQUEST, readKeyUse } from "../schema/log-tables.ts";
import { composeKeyUses } from "./key-uses.ts";
import { forgetNodes } from "./nodes.ts";
import type { Pool } from "./pool.ts";

const BY_ID = `${selectSql(REQUEST)} WHERE id = $1`;
const ENDED_SINCE = {
  head: `${selectSql(REQUEST)} WHERE ended_at_ms >= $1`,
  tail: "ORDER BY ended_at_ms DESC LIMIT $2",
  rows: USE_ROWS,
};
const LOCK_ACCOUNT = "SELECT id FROM account WHERE id = $1 FOR UPDATE";
const OLD_REPLIES =
  "SELECT account_id, id FROM reply WHERE at_ms < $1 AND state <> 'pending' ORDER BY at_ms LIMIT $2";
/** Checked again under the account's lock: the reply may have been claimed again. */
const FORGET_REPLIES = `
  WITH gone AS (
    DELETE FROM reply WHERE account_id = $1 AND id = ANY($2::text[]) AND at_ms < $3 AND state <> 'pending'
    RETURNING coalesce(length(sealed), 0) AS characters
  )
  UPDATE account SET kept_characters =
    greatest(0, kept_characters - (SELECT CAST(coalesce(sum(characters), 0) AS BIGINT) FROM gone))
  WHERE id = $1`;

export function requestMethods(pool: Pool) {
  const eraseOrigins = makeOriginEraser(pool);
  return {
    keyUses: async (keys, dayMs, monthMs) =>
      (await pool.run(composeKeyUses(keys, dayMs, monthMs, pool.traits.isDistributed))).map(readKeyUse),
    request: async (id, scope) => {
      const lookup = { head: BY_ID, values: [id], rows: USE_ROWS };
      return readFirst(REQUEST, await pool.run(narrowToScope(lookup, scope, pool.mark)));
    },
    endedSince: async (sinceMs, most, scope) => {
      const lookup = { ...ENDED_SINCE, values: [sinceMs, most] };
      return (await pool.run(narrowToScope(lookup, scope, pool.mark))).map(REQUEST.rowOf);
    },
    requests: async (filter, page) => (await searchLog(pool, askRequests(REQUEST, filter, pool), page)).rows,
    searchRequests: (filter, page, withinMs) =>
      searchLog(pool, askRequests(LISTED_REQUEST, filter, pool), page, withinMs),
    prune: (before, rowsMax) => {
      const { requestsMs, metersMs, repliesMs, contentsMs = requestsMs, putsMs = repliesMs } = before;
      const { callsMs = Number.MAX_SAFE_INTEGER } = before;
      return pruneAll(rowsMax, [
        async () => {
          await forgetNodes(pool);
          return 0;
        },
        async () => {
          await pool.run(bind("DELETE FROM meter WHERE last_at_ms < $1", metersMs));
          await pool.run(bind("DELETE FROM event WHERE at_ms < $1 AND type <> 'audit'", requestsMs));
          await pool.run(bind("DELETE FROM put_record WHERE at_ms < $1", putsMs));
          return 0;
        },
        (most) => forgetReplies(pool, repliesMs, most),
        async (most) => (await pool.run(bind(pruneSql("content", pool.mark), contentsMs, most))).count,
        (rowsMax) =>
          pruneCalled(pool, { requestsMs, callsMs, rowsMax, isByAccount: pool.traits.isDistributed }),
        async (most) => {
          if (most > 0) await eraseOrigins({ fromMs: requestsMs, toMs: contentsMs });
          return 0;
        },
      ]);
    },
  } satisfies Partial<Store>;
}

/**
 * Runs every step with the number of rows still allowed, and returns the number of rows deleted. A failed step doesn't
 * stop the others; the first failure is thrown at the end.
 */
async function pruneAll(
  rowsMax: number,
  steps: readonly ((most: number) => Promise<number>)[],
): Promise<number> {
  const failures: unknown[] = [];
  let gone = 0;
  for (const step of steps) {
    try {
      gone += await step(rowsMax - gone);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return gone;
}

/** Works account by account, because no statement may span two. Returns the number of old replies. */
async function forgetReplies(pool: Pool, beforeMs: number, rowsMax: number): Promise<number> {
  const old = await pool.run(bind(OLD_REPLIES, beforeMs, rowsMax));
  const byAccount = Map.groupBy(old, (found) => readText(found, "account_id"));
  for (const [accountId, found] of byAccount) {
    const ids = found.map((row) => readText(row, "id"));
    await pool.change([bind(LOCK_ACCOUNT, accountId)], () => ({
      writes: [bind(FORGET_REPLIES, accountId, ids, beforeMs)],
      toResult: () => undefined,
    }));
  }
  return old.length;
}
