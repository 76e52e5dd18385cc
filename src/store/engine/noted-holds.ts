// The noted requests of nodes, as what stands for their holds.
import { makeNotedHold } from "../../core/noted-hold.ts";
import type { Orphan, RunningRequests } from "../../core/store.ts";
import { METER } from "../schema/tables.ts";
import { bind, type Engine } from "./engine.ts";
import { readText } from "./found.ts";
import { makeNodeMark } from "./noted-column.ts";
import { selectSql } from "./sql.ts";

type Parts = Pick<Engine, "mark" | "contains" | "isListed" | "runSlowReads">;

/** Goes along all meters, which have no index for it: every admission would have to write it. */
export async function findNotedHolds(
  engine: Parts,
  nodes: readonly string[],
  most: number,
  own: { readonly node: string; readonly running: RunningRequests | null },
): Promise<readonly Orphan[]> {
  const { mark, contains, runSlowReads } = engine;
  const holds: Orphan[] = [];
  for (const node of nodes) {
    const isOwn = node === own.node;
    // Most of this node's own requests are running.
    const limit = isOwn ? "" : `LIMIT ${mark(2)}`;
    const text = `${selectSql(METER)} WHERE ${contains("noted", mark(1))} ${limit}`;
    const values = isOwn ? [] : [most];
    const [meters = []] = await runSlowReads([bind(text, makeNodeMark(node), ...values)]);
    for (const meter of meters.map(METER.rowOf))
      for (const request of meter.noted ?? [])
        if (request.node === node) holds.push(makeNotedHold(meter, request));
    if (holds.length >= most && !isOwn) break;
  }
  const left = holds.filter((hold) => hold.node !== own.node || isStranded(hold, own.running));
  return markEnded(engine, left);
}

function isStranded({ id, atMs }: Orphan, running: RunningRequests | null): boolean {
  return running !== null && atMs < running.beforeMs && !running.ids.includes(id);
}

/** A request whose row is written has ended. */
async function markEnded(
  { mark, isListed, runSlowReads }: Parts,
  holds: readonly Orphan[],
): Promise<readonly Orphan[]> {
  if (holds.length === 0) return holds;
  const text = `SELECT id FROM request WHERE ${isListed("id", mark(1))}`;
  const [found = []] = await runSlowReads([bind(text, JSON.stringify(holds.map(({ id }) => id)))]);
  const ended = new Set(found.map((row) => readText(row, "id")));
  return holds.map((hold) => (ended.has(hold.id) ? { ...hold, hasEnded: true } : hold));
}
