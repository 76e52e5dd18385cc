// The rows of sessions at tool servers.
import type { ToolSessionRow, ToolSessionStore } from "../../core/tools/session-rows.ts";
import { TEXT, TIME } from "../columns/columns.ts";
import { bind, type Engine, readFirst } from "../engine/engine.ts";
import { insertSql, joinNames, type Mark, selectSql } from "../engine/sql.ts";
import { deleteInParts } from "../engine/turns.ts";
import { table } from "../schema/tables.ts";

const SESSION = table<ToolSessionRow>("tool_session", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  keyId: TEXT,
  owner: TEXT,
  server: TEXT,
  usedAtMs: TIME,
  sealed: TEXT,
});

/** A use is written down again after this time. */
const TOUCH_MS = 60_000;

export function toolSessionMethods(engine: Engine): ToolSessionStore {
  const { mark, run, change } = engine;
  const byId = `account_id = ${mark(1)} AND id = ${mark(2)}`;
  const find = `${selectSql(SESSION)} WHERE ${byId}`;
  const add = `${insertSql(SESSION, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
  const boundRows = makeBounds(mark);
  const touch = `UPDATE tool_session SET used_at_ms = CAST(${mark(3)} AS BIGINT) WHERE ${byId}`;
  const forget = `DELETE FROM tool_session WHERE ${byId} AND sealed = ${mark(3)}`;
  const end = `UPDATE tool_session SET used_at_ms = 0
    WHERE account_id = ${mark(1)} AND owner = ${mark(2)} AND server <> ''`;
  const resting = `${selectSql(SESSION)} WHERE used_at_ms < ${mark(1)} AND server <> ''
    ORDER BY used_at_ms LIMIT ${mark(2)}`;
  const take = `DELETE FROM tool_session WHERE ${byId} AND used_at_ms = ${mark(3)}
    RETURNING ${joinNames(SESSION.columns)}`;
  const drop = makeDrop(mark);
  return {
    async find({ accountId, id }, nowMs) {
      const row = readFirst(SESSION, await run(bind(find, accountId, id)));
      // One that rests is about to be ended.
      if (row !== null && nowMs !== undefined && row.usedAtMs > 0 && nowMs - row.usedAtMs > TOUCH_MS)
        await run(bind(touch, accountId, id, nowMs));
      return row;
    },
    keep: (row, rowsMax) => {
      const { accountId, id, keyId } = row;
      const adding = [bind(add, ...SESSION.valuesOf(row)), bind(find, accountId, id)];
      return change(adding, ([, found]) => ({
        writes: boundRows.map((text) => bind(text, accountId, keyId, rowsMax)),
        toResult: () => readFirst(SESSION, found) ?? row,
      }));
    },
    forget: async ({ accountId, id, sealed }) => {
      await run(bind(forget, accountId, id, sealed));
    },
    end: async (accountId, owner) => {
      await run(bind(end, accountId, owner));
    },
    async takeResting(beforeMs, most) {
      const taken: ToolSessionRow[] = [];
      const found = (await run(bind(resting, beforeMs, most))).map(SESSION.rowOf);
      for (const { accountId, id, usedAtMs } of found) {
        const gone = await engine.runOnce(bind(take, accountId, id, usedAtMs));
        taken.push(...gone.map(SESSION.rowOf));
      }
      return taken;
    },
    dropEnded: (beforeMs, most) =>
      deleteInParts(engine, most, async (rows) => (await run(bind(drop, beforeMs, rows))).count),
  };
}

/** Returns what keeps a key's rows within a bound: its account, its id and the bound are the values. */
function makeBounds(mark: Mark): readonly string[] {
  const beyond = `account_id = ${mark(1)} AND id IN (
    SELECT id FROM tool_session WHERE account_id = ${mark(1)} AND key_id = ${mark(2)} AND used_at_ms > 0
    ORDER BY used_at_ms DESC, id LIMIT 1000 OFFSET ${mark(3)})`;
  // In this order: those that are left beyond the bound are sessions at servers.
  return [
    `DELETE FROM tool_session WHERE server = '' AND ${beyond}`,
    `UPDATE tool_session SET used_at_ms = 0 WHERE ${beyond}`,
  ];
}

/** Returns what deletes the oldest ends from before a time: the time and a number of rows are the values. */
function makeDrop(mark: Mark): string {
  return `DELETE FROM tool_session WHERE (account_id, id) IN (SELECT account_id, id FROM tool_session
    WHERE used_at_ms < ${mark(1)} AND server = '' ORDER BY used_at_ms LIMIT ${mark(2)})`;
}
