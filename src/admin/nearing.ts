// The keys and accounts whose budgets are nearest to their end, for the operator's overview.
import { Type } from "@sinclair/typebox";
import { type LimitState, NEAR_SHARE } from "../core/limit.ts";
import type { Scope } from "../core/people.ts";
import type { OwnerState } from "../core/rows.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { limitSchema, limitView } from "./limits.ts";
import { allowWords, text, type View } from "./schema.ts";
import type { AdminWorld } from "./world.ts";

/** The most owners that are shown. */
const SHOWN_MAX = 20;

export const nearingSchema = Type.Object({
  scope: allowWords(["key", "account"]),
  id: text,
  name: text,
  account_id: text,
  limit: limitSchema,
});
export type NearingView = View<typeof nearingSchema>;

interface NearingParts extends Pick<AdminWorld, "store" | "clock"> {
  readonly ledger: Pick<Ledger, "limits" | "accountLimits">;
}

/**
 * Returns up to 20 owners of which a budget is used by 80 % or more, the nearest to its end first. A limit that is lowered
 * counts from the owner's next request on.
 */
export async function listNearing({ store, clock, ledger }: NearingParts, scope?: Scope) {
  const found = await store.nearing(clock.nowMs(), SHOWN_MAX, scope);
  const shown = await Promise.all(found.map((owner) => viewOwner({ store, ledger }, owner)));
  const near = shown.filter((one) => one !== null);
  return {
    data: near.toSorted((one, other) => measureShare(other.limit) - measureShare(one.limit)),
    next: null,
  };
}

async function viewOwner(
  { store, ledger }: Pick<NearingParts, "store" | "ledger">,
  { accountId, owner: id }: Pick<OwnerState, "accountId" | "owner">,
): Promise<NearingView | null> {
  const key = id === accountId ? null : await store.key(id);
  const account = id === accountId ? await store.account(id) : null;
  const scope = account ? "account" : "key";
  const limits = account ? await ledger.accountLimits(account) : key ? await ledger.limits(key) : [];
  const limit = findNearest(limits.filter((one) => one.scope === scope));
  const name = (account ?? key)?.name;
  // Its window is over by now, its limit was raised, or it was moved.
  if (limit === null || name === undefined || (key && key.accountId !== accountId)) return null;
  return { scope, id, name, account_id: accountId, limit: limitView(limit) };
}

function findNearest(limits: readonly LimitState[]): LimitState | null {
  const [nearest = null] = limits
    .filter((one) => one.kind === "budget" && measureShare(one) >= NEAR_SHARE)
    .toSorted((one, other) => measureShare(other) - measureShare(one));
  return nearest;
}

/** A budget of 0 counts as used up. */
function measureShare({ used, limit }: Pick<LimitState, "used" | "limit">): number {
  return limit === 0 ? 1 : used / limit;
}
