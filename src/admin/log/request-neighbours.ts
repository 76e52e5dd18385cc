// The requests next to one in the log: the newer and the older.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import type { ListedRequest } from "../../core/log/record.ts";
import { cutStoredName } from "../../core/models/stored-name.ts";
import type { Scope } from "../../core/people/people.ts";
import { SEARCH_MS } from "../list.ts";
import { allowNull, text } from "../schema.ts";
import type { AdminWorld } from "../world.ts";

export const neighboursSchema = Type.Object({
  newer: allowNull(text),
  older: allowNull(text),
});
type NeighboursView = Static<typeof neighboursSchema>;

type NeighbourParts = Pick<AdminWorld, "store" | "clock">;
type LogPlace = Pick<ListedRequest, "atMs" | "id">;

/** Returns the ids of the requests next to this one among those that the viewer sees. Throws the Fault `not_found`. */
export async function findNeighbours(
  parts: NeighbourParts,
  id: string,
  scope?: Scope,
): Promise<NeighboursView> {
  const record = await parts.store.request(cutStoredName(id), scope);
  if (record === null) throw new Fault("not_found", "There is no request with that id.");
  const page = { limit: 1, after: { atMs: record.atMs, id: record.id } };
  const { rows } = await parts.store.searchRequests({ scope }, page, SEARCH_MS);
  return { newer: await findNewer(parts, record, scope), older: rows[0]?.id ?? null };
}

const ROWS = 50;
const FIRST_SPAN_MS = 1000;
const GROWTH = 16;
/** Enough to come from a century to a millisecond. */
const LOOKUPS_MAX = 64;

/**
 * The log is read from its latest row on. So the next row is looked for in ever longer spans from this one on, and in
 * shorter ones again if a span has more rows than are read at once.
 */
async function findNewer({ store, clock }: NeighbourParts, { atMs, id }: LogPlace, scope: Scope | undefined) {
  const endMs = clock.nowMs() + FIRST_SPAN_MS - atMs;
  let emptyMs = 0;
  let fullMs: number | null = null;
  let spanMs = FIRST_SPAN_MS;
  for (let count = 0; count < LOOKUPS_MAX; count++) {
    const span = { scope, fromMs: atMs, toMs: atMs + spanMs };
    const { rows } = await store.searchRequests(span, { limit: ROWS, after: null }, SEARCH_MS);
    const at = rows.findIndex((row) => row.id === id);
    if (at > 0) return rows[at - 1]?.id ?? null;
    if (at === 0 && spanMs >= endMs) return null;
    if (at === 0) emptyMs = spanMs;
    else fullMs = spanMs;
    spanMs = fullMs === null ? spanMs * GROWTH : emptyMs + Math.ceil((fullMs - emptyMs) / 2);
    if (spanMs === fullMs) break;
  }
  return null;
}
