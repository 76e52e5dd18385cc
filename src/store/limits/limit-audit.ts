// Checks the counts of limits against the open holds that they come from.

import type { LimitAudit } from "../../core/books/audit.ts";
import type { LimitUse } from "../../core/limits/limit.ts";
import type { OwnerState } from "../../core/rows.ts";
import { type FoundRow, readText } from "../columns/found.ts";
import { parsePlace } from "../columns/place.ts";
import { selectSql } from "../engine/sql.ts";
import { OWNER } from "../schema/tables.ts";

export const AUDIT_OWNERS = `${selectSql(OWNER)} WHERE minute IS NOT NULL OR budgets IS NOT NULL`;
export const AUDIT_PLACES = "SELECT account_id, place FROM hold";

type AuditedUse = Pick<LimitUse, "owner" | "part" | "budgets"> & { readonly accountId: string };

/** Returns the counts that are wrong. */
export function auditLimits(owners: readonly FoundRow[], holds: readonly FoundRow[]): readonly LimitAudit[] {
  const uses = holds.flatMap((found): readonly AuditedUse[] => {
    const accountId = readText(found, "account_id");
    return (parsePlace(readText(found, "place")).uses ?? []).map((use) => ({ accountId, ...use }));
  });
  const byOwner = Map.groupBy(uses, ({ accountId, owner }) => `${accountId} ${owner}`);
  return owners.map(OWNER.rowOf).flatMap((state) => {
    const own = byOwner.get(`${state.accountId} ${state.owner}`) ?? [];
    return [auditParallel(state, own), ...auditBudgets(state, own)].filter(
      ({ counted, ofHolds }) => counted !== ofHolds,
    );
  });
}

function auditParallel({ accountId, owner, minute }: OwnerState, uses: readonly AuditedUse[]): LimitAudit {
  const ofHolds = uses.filter(({ part }) => part !== null).length;
  return { accountId, owner, budget: null, counted: minute?.parallel ?? 0, ofHolds };
}

/** Reservations in a window that is over are nobody's any more. */
function auditBudgets(
  { accountId, owner, budgets }: OwnerState,
  uses: readonly AuditedUse[],
): readonly LimitAudit[] {
  return (budgets ?? []).map(({ name, startMs, heldNanoUsd: counted }) => {
    const reserved = uses
      .flatMap((use) => use.budgets)
      .filter((one) => one.name === name && one.startMs === startMs);
    const ofHolds = reserved.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0);
    return { accountId, owner, budget: name, counted, ofHolds };
  });
}
