// Requests whose node died: only what their holds say is known.
import type { Reads } from "../core/demand.ts";
import { UNKNOWN_ORIGIN, type UnsettledRecord } from "../core/log/record.ts";
import { NO_AMOUNTS } from "../core/money/units.ts";
import type { Hold } from "../core/rows.ts";
import type { Orphan } from "../core/store.ts";

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
    requestId,
    operation,
    surface,
    modelAsked,
    modelPlanned,
    selector,
    stream,
    modelTried: null,
    modelUsed: null,
    decision: null,
    trace: null,
    attempts: 0,
    status: 500,
    faultCode: "internal_error",
    amounts: NO_AMOUNTS,
    costNanoUsd: 0,
    markupNanoUsd: 0,
    claimedNanoUsd: null,
    mended: null,
    reasoningRemoved: null,
    cacheMarked: null,
    moved: null,
    guard: null,
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

/** Resolves all holds that `orphans` lists, and returns the number of those that were open. Throws once it has tried each, and names one that failed. */
export async function resolveEach<Lost extends Pick<Orphan, "id" | "accountId" | "hasEnded">>(
  orphans: (max: number) => Promise<readonly Lost[]>,
  resolve: (hold: Lost) => Promise<unknown>,
): Promise<number> {
  let count = 0;
  const failures = new Map<string, LostFailure>();
  for (;;) {
    // Those that failed are listed again, before or among the others.
    const most = LOST_AT_ONCE + failures.size;
    const holds = await orphans(most);
    const untried = holds.filter(({ id }) => !failures.has(id));
    const attempt = (hold: Lost) =>
      resolve(hold).catch((error: unknown) => failures.set(hold.id, { hold, error }));
    await Promise.all(untried.map(attempt));
    count += untried.filter(({ hasEnded }) => hasEnded !== true).length;
    if (holds.length < most) break;
  }
  const [failure] = failures.values();
  if (failure !== undefined) throw describeFailure(failure, failures.size);
  return count;
}

interface LostFailure {
  readonly hold: Pick<Hold, "id" | "accountId">;
  readonly error: unknown;
}

/** A hold that can't be settled stays in its account's balance, so the operator has to know which. */
function describeFailure({ hold: { id, accountId }, error }: LostFailure, count: number): Error {
  const others = count > 1 ? ` and ${count - 1} more` : "";
  const { cause = undefined } = error instanceof Error ? error : {};
  return new Error(`the hold of ${id} in account ${accountId}${others} can't be settled: ${error}`, {
    cause,
  });
}
