// Finds the nodes that live, by their heartbeats in the database and its own clock, and the holds of those that don't.
import type { Store } from "../../core/store.ts";
import { bind } from "../engine.ts";
import { selectSql } from "../sql.ts";
import { HOLD } from "../tables.ts";

import type { Pool } from "./pool.ts";

/**
 * A node that was silent for so long counts as dead. Only by one that has itself beaten through all that time: where the
 * database was away, or its clock jumped, every node looks silent afterwards, until each had the time to beat again.
 */
const DEAD = "interval '15 seconds'";
/** Longer than from one beat to the next: a node that was silent for this long saw nothing of the others meanwhile. */
const GAP = "interval '7 seconds'";
const FORGOTTEN = "interval '1 day'";

const BEAT = `
  INSERT INTO node (id, since_at, beat_at) VALUES ($1, clock_timestamp(), clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET
    since_at = CASE WHEN node.beat_at < clock_timestamp() - ${GAP} THEN clock_timestamp() ELSE node.since_at END,
    beat_at = clock_timestamp()`;

/** A node that has no row has ended and said so, or never beat. */
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

type NodeMethods = Pick<Store, "beat" | "orphans">;

export function nodeMethods(pool: Pool, node: string): NodeMethods {
  return {
    async beat() {
      await pool.run(bind(BEAT, node));
    },
    orphans: async (most) => (await pool.run(bind(ORPHANS, node, most))).map(HOLD.rowOf),
  };
}

/** Rows of nodes that ended long ago and hold nothing. */
export async function forgetNodes(pool: Pool): Promise<void> {
  await pool.run(bind(FORGET));
}

/** The node has ended and won't settle what it still holds, so the others need not wait for its heartbeat to lapse. */
export async function endNode(pool: Pool, node: string): Promise<void> {
  await pool.run(bind("DELETE FROM node WHERE id = $1", node));
}
