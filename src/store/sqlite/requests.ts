// The SQLite store's request log, lookups of keys and their uses, and the holds of ended processes.
import type { Hold } from "../../core/rows.ts";
import type { KeyUse, RunningRequests, Store } from "../../core/store.ts";
import { readInteger, readText } from "../columns/found.ts";
import { bind, type Engine, readFirst } from "../engine/engine.ts";
import { askRequests, keyUsesSql, LAST_HOUR } from "../engine/narrowing.ts";
import { findNotedHolds } from "../engine/noted-holds.ts";
import { narrowToScope, USE_ROWS } from "../engine/scope.ts";
import { selectSql } from "../engine/sql.ts";
import { deleteInParts } from "../engine/turns.ts";
import { readProvenKey } from "../keys/keys.ts";
import { searchLog } from "../log/log-search.ts";
import { makeOriginEraser } from "../log/origins.ts";
import { pruneCalled } from "../log/provider-calls.ts";
import { LISTED_REQUEST, REQUEST, readKeyUse } from "../schema/log-tables.ts";
import { EVENT, HOLD, METER } from "../schema/tables.ts";
import type { Connector } from "./connector.ts";
import { hasEnded } from "./node-lock.ts";
import type { RowCache } from "./row-cache.ts";
import type { Statements } from "./statements.ts";
import { sweepRows } from "./sweep.ts";

const HOUR_MS = 3_600_000;
/** Rows that may be written after one that ended later: the requests of dead nodes are settled 500 at a time. */
const WRITTEN_SINCE_MAX = 500;
/** Rows are written as requests end, so the latest are among the last; only lost requests are written late. */
const ENDED_SINCE = {
  head: `SELECT * FROM (SELECT * FROM request ORDER BY rowid DESC LIMIT ?2 + ${WRITTEN_SINCE_MAX})
    WHERE ended_at_ms >= ?1`,
  tail: "ORDER BY ended_at_ms DESC LIMIT ?2",
  rows: USE_ROWS,
};
const BY_ID = `${selectSql(REQUEST)} WHERE id = ?1`;
/** The key's last use is only to the hour here. */
const KEY_USE = keyUsesSql("id = ?1", "?2", "?3", LAST_HOUR);
const OLD_REPLIES = `
  SELECT account_id, id, coalesce(length(sealed), 0) AS characters FROM reply
  WHERE at_ms < ?1 AND state <> 'pending' ORDER BY at_ms LIMIT ?2`;
const FREE_CHARACTERS = "UPDATE account SET kept_characters = max(0, kept_characters - ?1) WHERE id = ?2";
const PRUNE_CONTENTS =
  "DELETE FROM content WHERE rowid IN (SELECT rowid FROM content WHERE at_ms < ?1 ORDER BY at_ms LIMIT ?2)";

interface ThisNode {
  /** Null for a database in memory, which no other process can use. */
  readonly file: string | null;
  readonly node: string;
}

export function requestMethods(connector: Connector, cache: RowCache, engine: Engine, own: ThisNode) {
  return {
    keyByDigest: (digest) =>
      connector.run(({ sql }) => {
        const found = sql.keyByDigest.get(digest);
        if (found === null) return null;
        const proven = readProvenKey(found);
        cache.keepKey(proven.key);
        return proven;
      }),
    keyUses: async (keys, dayMs, monthMs) => {
      const uses: KeyUse[] = [];
      for (const { id } of keys) {
        const [found] = await engine.run(bind(KEY_USE, id, dayMs - HOUR_MS, monthMs - HOUR_MS));
        if (!found) continue;
        const use = readKeyUse(found);
        uses.push({ ...use, lastAtMs: await lastUse(engine, use) });
      }
      return uses;
    },
    request: async (id, scope) => {
      const lookup = { head: BY_ID, values: [id], rows: USE_ROWS };
      return readFirst(REQUEST, await engine.run(narrowToScope(lookup, scope, engine.mark)));
    },
    endedSince: async (sinceMs, most, scope) => {
      const lookup = { ...ENDED_SINCE, values: [sinceMs, most] };
      return (await engine.run(narrowToScope(lookup, scope, engine.mark))).map(REQUEST.rowOf);
    },
    requests: async (filter, page) =>
      (await searchLog(engine, askRequests(REQUEST, filter, engine), page)).rows,
    searchRequests: (filter, page, withinMs) =>
      searchLog(engine, askRequests(LISTED_REQUEST, filter, engine), page, withinMs),
    prune: makePruning(connector, cache, engine),
    listDead: async (nodes) =>
      nodes.filter((node) => node !== own.node && (own.file === null || hasEnded(own.file, node))),
    orphans: async (most, running = null, noting = []) => {
      const holds = await connector.run(({ sql }) => findOrphans(sql, own, most, running));
      if (noting.length === 0 || holds.length >= most) return holds;
      const noted = await findNotedHolds(engine, noting, most - holds.length, { node: own.node, running });
      return [...holds, ...noted];
    },
  } satisfies Partial<Store>;
}

function makePruning(connector: Connector, cache: RowCache, engine: Engine): Store["prune"] {
  const eraseOrigins = makeOriginEraser(engine);
  const remove = (work: (sql: Statements) => number) =>
    connector.run((connection) => {
      const gone = connection.write(() => work(connection.sql));
      cache.clear();
      return gone;
    });
  return async (before, rowsMax) => {
    const { requestsMs, metersMs, repliesMs, contentsMs = requestsMs, putsMs = repliesMs } = before;
    const { callsMs = Number.MAX_SAFE_INTEGER } = before;
    await remove((sql) => sql.run(bind("DELETE FROM put_record WHERE at_ms < ?1", putsMs)).count);
    let gone = await deleteInParts(engine, rowsMax, (most) =>
      remove((sql) => forgetReplies(sql, repliesMs, most)),
    );
    gone += await deleteInParts(engine, rowsMax - gone, (most) =>
      remove((sql) => sql.run(bind(PRUNE_CONTENTS, contentsMs, most)).count),
    );
    gone += await pruneCalled(engine, { requestsMs, callsMs, rowsMax: rowsMax - gone, isByAccount: false });
    // Once for all rows, however many times the others take.
    if (gone < rowsMax) {
      await sweepRows(engine, METER, "last_at_ms < ?1", metersMs);
      await sweepRows(engine, EVENT, "at_ms < ?1 AND type <> 'audit'", requestsMs);
      await eraseOrigins({ fromMs: requestsMs, toMs: contentsMs });
    }
    return gone;
  };
}

async function lastUse(engine: Engine, { keyId, lastAtMs: hourMs }: KeyUse): Promise<number | null> {
  if (hourMs === null) return null;
  const hour = { keyId, fromMs: hourMs, toMs: hourMs + HOUR_MS };
  const { rows } = await searchLog(engine, askRequests(LISTED_REQUEST, hour, engine), {
    limit: 1,
    after: null,
  });
  return rows[0]?.atMs ?? hourMs;
}

function forgetReplies(sql: Statements, beforeMs: number, rowsMax: number): number {
  const old = sql.run(bind(OLD_REPLIES, beforeMs, rowsMax));
  for (const found of old) {
    const accountId = readText(found, "account_id");
    sql.removeReply.run(accountId, readText(found, "id"));
    sql.run(bind(FREE_CHARACTERS, readInteger(found, "characters"), accountId));
  }
  return old.count;
}

const STRANDED = `${selectSql(HOLD)}
  WHERE node = ?1 AND at_ms < ?2 AND id NOT IN (SELECT value FROM json_each(?3)) LIMIT ?4`;

function findOrphans(
  sql: Statements,
  own: ThisNode,
  most: number,
  running: RunningRequests | null,
): readonly Hold[] {
  const { file } = own;
  const orphans: Hold[] = [];
  if (running !== null) {
    const stranded = bind(STRANDED, own.node, running.beforeMs, JSON.stringify(running.ids), most);
    orphans.push(...sql.run(stranded).map(HOLD.rowOf));
  }
  for (const found of sql.run(bind("SELECT DISTINCT node FROM hold"))) {
    const node = readText(found, "node");
    if (node === own.node || (file !== null && !hasEnded(file, node))) continue;
    const left = bind(`${selectSql(HOLD)} WHERE node = ?1 LIMIT ?2`, node, most - orphans.length);
    orphans.push(...sql.run(left).map(HOLD.rowOf));
  }
  return orphans;
}
