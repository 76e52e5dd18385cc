// Finds live nodes by their heartbeats, timed by the database's clock, and the holds of dead ones.
import type { Store } from "../../core/store.ts";
import { bind } from "../engine.ts";
import { selectSql } from "../sql.ts";
import { HOLD } from "../tables.ts";

import type { Pool } from "./pool.ts";

/**
 * A node silent for this long counts as dead, but only to nodes that kept beating all that time: after a database
 * outage or a clock jump every node looks silent until each has had time to beat again.
 */
const DEAD = "interval '15 seconds'";
/** Longer than the interval between beats: a node silent for this long has seen no others meanwhile. */
const GAP = "interval '7 seconds'";
const FORGOTTEN = "interval '1 day'";

const BEAT = `
  INSERT INTO node (id, since_at, beat_at) VALUES ($1, clock_timestamp(), clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET
    since_at = CASE WHEN node.beat_at < clock_timestamp() - ${GAP} THEN clock_timestamp() ELSE node.since_at END,
    beat_at = clock_timestamp()`;

/** A node without a row has ended cleanly or never beat. */
const ORPHANS = `
  ${selectSql(HOLD)} WHERE node <> $1 AND (
    node NOT IN (SELECT id FROM node)
    OR node IN (
      SELECT other.id FROM node AS other JOIN node AS own ON own.id = $1
      WHERE greatest(other.beat_at, own.since_at) < clock_timestamp() - ${DEAD}
        AND own.beat_at > clock_timestamp() - ${GAP}
    )
  ) LIMIT $2`;

const FORGET = `
  DELETE FROM node WHERE beat_at < now() - ${FORGOTTEN} AND id NOT IN (SELECT node FROM hold)`;

export function nodeMethods(pool: Pool, node: string) {
  return {
    async beat() {
      await pool.run(bind(BEAT, node));
    },
    orphans: async (most) => (await pool.run(bind(ORPHANS, node, most))).map(HOLD.rowOf),
  } satisfies Partial<Store>;
}

/** Deletes rows of nodes that ended long ago and hold nothing. */
export async function forgetNodes(pool: Pool): Promise<void> {
  await pool.run(bind(FORGET));
}

/** Deletes the row of a node that has ended, so its holds can be settled before its heartbeat lapses. */
export async function endNode(pool: Pool, node: string): Promise<void> {
  await pool.run(bind("DELETE FROM node WHERE id = $1", node));
}
