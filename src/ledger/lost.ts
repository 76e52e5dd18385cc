// Requests whose node died: only what their holds say is known.
import type { Reads } from "../core/demand.ts";
import { UNKNOWN_ORIGIN, type UnsettledRecord } from "../core/record.ts";
import type { Hold } from "../core/rows.ts";
import { NO_AMOUNTS } from "../core/units.ts";

/** The rows that the settlement of a hold needs. */
export function readsOfHold({ id, accountId, keyId, place, replyId }: Hold): Reads {
  const { owner, day } = place;
  const owners = [...new Set([owner, keyId, accountId, ...(place.uses ?? []).map((use) => use.owner)])];
  return { accountId, keyId, owners, days: [day], requestId: id, replyId, movementId: null };
}

/** The record of a request whose node died: only the request is known, not its outcome. */
export function lostRecord(hold: Hold): UnsettledRecord {
  const { id, keyId, accountId, atMs, requestId, operation, surface } = hold;
  const { modelAsked, modelPlanned, selector, stream } = hold;
  return {
    id,
    keyId,
    accountId,
    atMs,
    ...{ requestId, operation, surface, modelAsked, modelPlanned, selector, stream },
    modelTried: null,
    modelUsed: null,
    decision: null,
    trace: null,
    attempts: 0,
    status: 500,
    faultCode: "internal_error",
    amounts: NO_AMOUNTS,
    costNanoUsd: 0,
    usageSource: "none",
    ended: "lost",
    totalMs: 0,
    firstTokenMs: null,
    cachedFrom: null,
    savedNanoUsd: 0,
    ...UNKNOWN_ORIGIN,
  };
}

const LOST_AT_ONCE = 500;

/** Resolves all holds that `orphans` lists, and returns their number. */
export async function resolveEach(
  orphans: (max: number) => Promise<readonly Hold[]>,
  resolve: (hold: Hold) => Promise<unknown>,
): Promise<number> {
  let count = 0;
  for (;;) {
    const holds = await orphans(LOST_AT_ONCE);
    await Promise.all(holds.map(resolve));
    count += holds.length;
    if (holds.length < LOST_AT_ONCE) return count;
  }
}
