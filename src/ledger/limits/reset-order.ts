// The operator's order to set the use of budgets back to 0.
import type { Reset } from "../../core/demand.ts";
import { LIMIT_RULES } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { type LedgerRules, makeReads } from "../allowance.ts";
import { makeAnswerError } from "../answers.ts";

/** The id must be new: it becomes the event's. */
export type ResetOrder = Pick<
  Reset,
  "accountId" | "keyId" | "memberId" | "id" | "by" | "reason" | "entry" | "added"
>;

interface ResetOrderParts {
  readonly store: Pick<Store, "transact" | "clockAheadMs">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly rules: () => LedgerRules;
}

/** Returns the names of the budgets. Throws the Faults `not_found`, `store_unavailable`. */
export async function resetBudgets(
  { store, clock, rules }: ResetOrderParts,
  order: ResetOrder,
): Promise<readonly string[]> {
  const { accountId, keyId, memberId } = order;
  const current = rules();
  const { quota, ownerLimits: limits = LIMIT_RULES } = current;
  const nowMs = clock.nowMs();
  const owner = { id: keyId ?? accountId, accountId, memberId };
  const reads = { ...makeReads(owner, current, nowMs, store.clockAheadMs()), keyId, days: [] };
  const answer = await store.transact({ kind: "reset", ...order, quota, limits, nowMs, reads });
  if (answer.kind === "refused") throw answer.fault;
  if (answer.kind !== "reset") throw makeAnswerError(answer);
  return answer.budgets;
}
