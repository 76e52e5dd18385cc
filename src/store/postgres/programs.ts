// The programs of the nodes on a PostgreSQL store, by their heartbeats.
import type { LiveNode } from "../../core/live-nodes.ts";
import { type FoundRow, readInteger, readText } from "../columns/found.ts";
import { bind, type Programs } from "../engine/engine.ts";
import { countFrom } from "../schema/schema-step.ts";
import { FIRST_STEPS } from "./schema.ts";

/**
 * A node silent for this long counts as dead, but only to nodes that kept beating all that time: after a database
 * outage or a clock jump every node looks silent until each has had time to beat again.
 */
export const DEAD_MS = 15_000;
export const DEAD = `interval '${DEAD_MS} milliseconds'`;

/** Tables from before 1.1 have no column for the version. */
export const LIVE_NODES = `
  SELECT id, coalesce(to_jsonb(node) ->> 'version', '0') AS version
  FROM node WHERE beat_at > clock_timestamp() - ${DEAD} ORDER BY id`;
const OLDEST = "SELECT oldest_supported FROM schema_version WHERE one = 1 FOR UPDATE";
const END =
  "UPDATE schema_version SET oldest_supported = greatest(oldest_supported, $1::bigint) WHERE one = 1";

export function readLiveNode(row: FoundRow): LiveNode {
  return { id: readText(row, "id"), schema: readInteger(row, "version") };
}

export const POSTGRES_PROGRAMS: Programs = {
  look: [bind(OLDEST), bind(LIVE_NODES)],
  parse: ([oldest, nodes]) => ({
    oldestSupported: readInteger(oldest?.[0] ?? {}, "oldest_supported"),
    live: () => (nodes ?? []).map(readLiveNode),
  }),
  versionOf: countFrom(FIRST_STEPS),
  endSupport: (version) => bind(END, version),
};
