// Finds live nodes by their heartbeats, timed by the database's clock, and the holds of dead ones.
import type { Orphan, RunningRequests } from "../../core/store.ts";
import { readInteger, readText } from "../columns/found.ts";
import { bind } from "../engine/engine.ts";
import { Heart } from "../engine/heart.ts";
import { findNotedHolds } from "../engine/noted-holds.ts";
import { selectSql } from "../engine/sql.ts";
import { HOLD } from "../schema/tables.ts";
import { NOW_MS } from "./clock.ts";
import type { Pool } from "./pool.ts";
import { DEAD, DEAD_MS } from "./programs.ts";

/** Longer than the interval between beats: a node silent for this long has seen no others meanwhile. */
const GAP = "interval '7 seconds'";
const FORGOTTEN = "interval '1 day'";

const BEAT = `
  INSERT INTO node (id, since_at, beat_at, version, clock_ms)
  VALUES ($1, clock_timestamp(), clock_timestamp(), $2, $3)
  ON CONFLICT (id) DO UPDATE SET
    since_at = CASE WHEN node.beat_at < clock_timestamp() - ${GAP} THEN clock_timestamp() ELSE node.since_at END,
    beat_at = clock_timestamp(),
    clock_ms = excluded.clock_ms
  RETURNING
    ${NOW_MS} AS now_ms,
    (SELECT oldest_supported FROM schema_version WHERE one = 1) AS oldest_supported,
    coalesce((SELECT string_agg(older.id, ' ' ORDER BY older.id) FROM node AS older, schema_version
      WHERE coalesce(older.version, 0) < oldest_supported AND older.beat_at > clock_timestamp() - ${DEAD}), '')
      AS older`;

/**
 * A node without a row has ended cleanly or never beat. A hold that was made after the node's silence began proves that
 * the node was alive then, by the node's own clock, so it counts only once it is as old itself.
 */
const ORPHANS = `
  ${selectSql(HOLD)} LEFT JOIN (
    SELECT other.id AS silent_id, greatest(
      coalesce(other.clock_ms, extract(epoch FROM other.beat_at) * 1000) + ${DEAD_MS},
      extract(epoch FROM clock_timestamp()) * 1000 - ${DEAD_MS}) AS before_ms
    FROM node AS other JOIN node AS own ON own.id = $1
    WHERE greatest(other.beat_at, own.since_at) < clock_timestamp() - ${DEAD}
      AND own.beat_at > clock_timestamp() - ${GAP}
  ) AS silent ON silent_id = node
  WHERE (node <> $1 AND (node NOT IN (SELECT id FROM node) OR at_ms < before_ms))
    OR (node = $1 AND at_ms < $3::bigint AND id <> ALL($4::text[])) LIMIT $2`;
/** No hold was made before. */
const NONE_OF_OWN: RunningRequests = { ids: [], beforeMs: 0 };

const FORGET = `
  DELETE FROM node WHERE beat_at < now() - ${FORGOTTEN} AND id NOT IN (SELECT node FROM hold)`;

/** Others give up the holds of a node that was silent for 15 s: this leaves time for the admission itself. */
const ALIVE_MS = 10_000;

/** `version` is that of the schema which this program knows. `onClock` learns how far the store's clock is ahead. */
export function makeHeart(
  pool: Pool,
  node: string,
  version: number,
  onClock: (aheadMs: number) => void,
): Heart {
  const beat = async () => {
    const [found = {}] = await pool.run(bind(BEAT, node, version, Date.now()));
    const older = readText(found, "older");
    onClock(readInteger(found, "now_ms") - Date.now());
    return {
      oldestSupported: readInteger(found, "oldest_supported"),
      olderNodes: older === "" ? [] : older.split(" "),
    };
  };
  return new Heart({ version, beat, aliveMs: ALIVE_MS });
}

export async function findOrphans(
  pool: Pool,
  node: string,
  most: number,
  running: RunningRequests | null = null,
  noting: readonly string[] = [],
): Promise<readonly Orphan[]> {
  const { ids, beforeMs } = running ?? NONE_OF_OWN;
  const holds = (await pool.run(bind(ORPHANS, node, most, beforeMs, ids))).map(HOLD.rowOf);
  if (noting.length === 0 || holds.length >= most) return holds;
  return [...holds, ...(await findNotedHolds(pool, noting, most - holds.length, { node, running }))];
}

const ALIVE = `
  SELECT other.id FROM node AS other JOIN node AS own ON own.id = $1
  WHERE NOT (greatest(other.beat_at, own.since_at) < clock_timestamp() - ${DEAD}
    AND own.beat_at > clock_timestamp() - ${GAP})`;

export async function listDead(
  pool: Pool,
  own: string,
  nodes: readonly string[],
): Promise<readonly string[]> {
  const alive = new Set((await pool.run(bind(ALIVE, own))).map((found) => readText(found, "id")));
  // Without a beat of its own, this node can't tell.
  return alive.has(own) ? nodes.filter((node) => !alive.has(node)) : [];
}

/** Deletes rows of nodes that ended long ago and hold nothing. */
export async function forgetNodes(pool: Pool): Promise<void> {
  await pool.run(bind(FORGET));
}

/** Deletes the row of a node that has ended, so its holds can be settled before its heartbeat lapses. */
export async function endNode(pool: Pool, node: string): Promise<void> {
  await pool.run(bind("DELETE FROM node WHERE id = $1", node));
}
