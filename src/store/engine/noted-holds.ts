// The noted requests of nodes, as what stands for their holds.
import { makeNotedHold } from "../../core/noted-hold.ts";
import type { Orphan, RunningRequests } from "../../core/store.ts";
import { readText } from "../columns/found.ts";
import { makeNodeMark } from "../columns/noted-column.ts";
import { METER } from "../schema/tables.ts";
import { bind, type Engine } from "./engine.ts";
import { selectSql } from "./sql.ts";

type NotedHoldParts = Pick<Engine, "mark" | "contains" | "isListed" | "runSlowReads">;

export async function findNotedHolds(
  engine: NotedHoldParts,
  nodes: readonly string[],
  most: number,
  own: { readonly node: string; readonly running: RunningRequests | null },
): Promise<readonly Orphan[]> {
  const holds: Orphan[] = [];
  for (const node of nodes) {
    if (holds.length >= most) break;
    // Most of this node's own requests are running, so they aren't counted.
    const found = await searchMeters(engine, node, node === own.node ? null : most);
    holds.push(...found.filter((hold) => node !== own.node || isStranded(hold, own.running)));
  }
  return markEnded(engine, holds);
}

/** Goes along all meters, which have no index for it: every admission would have to write it. */
async function searchMeters(
  { mark, contains, runSlowReads }: NotedHoldParts,
  node: string,
  most: number | null,
): Promise<readonly Orphan[]> {
  const text = `${selectSql(METER)} WHERE ${contains("noted", mark(1))}`;
  const nodeMark = makeNodeMark(node);
  const search = most === null ? bind(text, nodeMark) : bind(`${text} LIMIT ${mark(2)}`, nodeMark, most);
  const [meters = []] = await runSlowReads([search]);
  return meters.map(METER.rowOf).flatMap((meter) => {
    const own = (meter.noted ?? []).filter((request) => request.node === node);
    return own.map((request) => makeNotedHold(meter, request));
  });
}

function isStranded({ id, atMs }: Orphan, running: RunningRequests | null): boolean {
  return running !== null && atMs < running.beforeMs && !running.ids.includes(id);
}

/** A request whose row is written has ended. */
async function markEnded(
  { mark, isListed, runSlowReads }: NotedHoldParts,
  holds: readonly Orphan[],
): Promise<readonly Orphan[]> {
  if (holds.length === 0) return holds;
  const text = `SELECT id FROM request WHERE ${isListed("id", mark(1))}`;
  const [found = []] = await runSlowReads([bind(text, JSON.stringify(holds.map(({ id }) => id)))]);
  const ended = new Set(found.map((row) => readText(row, "id")));
  return holds.map((hold) => (ended.has(hold.id) ? { ...hold, hasEnded: true } : hold));
}
