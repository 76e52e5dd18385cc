// The keys, members and accounts whose budgets are nearest to their end, for the operator's overview.
import { Type } from "@sinclair/typebox";
import { LIMIT_SCOPES, type LimitState, NEAR_SHARE } from "../../core/limits/limit.ts";
import type { Scope } from "../../core/people/people.ts";
import type { OwnerState } from "../../core/rows.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { allowWords, text, type View } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { limitSchema, limitView } from "./limits.ts";

/** The most owners that are shown. */
const SHOWN_MAX = 20;

export const nearingSchema = Type.Object({
  scope: allowWords(LIMIT_SCOPES),
  id: text,
  // A person of whom nothing is kept any more is named by the id.
  name: text,
  account_id: text,
  limit: limitSchema,
});
export type NearingView = View<typeof nearingSchema>;

export interface NearingParts extends Pick<AdminWorld, "store" | "clock"> {
  readonly ledger: Pick<Ledger, "limits" | "memberLimits" | "accountLimits">;
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
  const { scope, name, limits } = (await findOwner({ store, ledger }, accountId, id)) ?? GONE;
  const limit = findNearest(limits.filter((one) => one.scope === scope));
  // Its window is over by now, its limit was raised, or it was moved.
  return limit === null ? null : { scope, id, name, account_id: accountId, limit: limitView(limit) };
}

const GONE = { scope: "key", name: "", limits: [] } as const;

async function findOwner(
  { store, ledger }: Pick<NearingParts, "store" | "ledger">,
  accountId: string,
  id: string,
): Promise<(Pick<NearingView, "scope" | "name"> & { readonly limits: readonly LimitState[] }) | null> {
  if (id === accountId) {
    const account = await store.account(id);
    return account && { scope: "account", name: account.name, limits: await ledger.accountLimits(account) };
  }
  const key = await store.key(id);
  if (key === null) {
    const name = (await store.people.member(id))?.name || id;
    return { scope: "member", name, limits: await ledger.memberLimits({ accountId, memberId: id }) };
  }
  return key.accountId === accountId
    ? { scope: "key", name: key.name, limits: await ledger.limits(key) }
    : null;
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
