// Nobody changes their own rights, and nobody passes on rights that outlast their own.
import { Fault } from "../../core/faults/fault.ts";
import type { WireBudget } from "../../core/fields/field.ts";
import type { Permission } from "../../core/people/permissions.ts";
import type { Access } from "../../people/access.ts";
import { formatInstant } from "../format.ts";

/** Throws the Fault `own_grants` if the person is the sender, or the sender's token stands on the person. */
export function refuseSelfChange({ personId }: Pick<Access, "personId">, memberId: string): void {
  if (personId !== memberId) return;
  const message =
    "Nobody changes their own role, its accounts or its end, nor shuts themself out or in, also not by a token of theirs. Ask another admin.";
  throw new Fault("own_grants", message, { param: "id" });
}

/**
 * Every way by which a right is passed on that may outlast its giver: by the route, the permission that it takes, and the
 * field that sets the end.
 */
export const PASSED_ON = {
  changeMember: { permission: "members.write", field: "until" },
  createToken: { permission: "tokens.write", field: "expires_at" },
  takeToken: { permission: "tokens.write", field: "expires_at" },
  decideLimitRequest: { permission: "members.limit", field: "until" },
  createKey: { permission: "keys.write", field: "budgets" },
  updateKey: { permission: "keys.write", field: "budgets" },
  putKey: { permission: "keys.write", field: "budgets" },
  createAccount: { permission: "accounts.create", field: "budgets" },
  updateAccount: { permission: "accounts.limit", field: "budgets" },
  putAccount: { permission: "accounts.limit", field: "budgets" },
} as const satisfies Readonly<Record<string, { readonly permission: Permission; readonly field: string }>>;

/**
 * Returns the time beyond which nothing may last that the sender passes on in this way in these accounts. Null for no end,
 * and in the list for all accounts.
 */
export function findSenderEnd(
  access: Pick<Access, "findEnd">,
  way: keyof typeof PASSED_ON,
  accountIds: readonly (string | null)[],
): number | null {
  return access.findEnd(PASSED_ON[way].permission, accountIds);
}

/** Throws the Fault `beyond_own_end` if an extra amount of one of these budgets would outlast the sender's role. */
export function refuseLateExtras(
  access: Pick<Access, "findEnd">,
  way: keyof typeof PASSED_ON,
  accountId: string | null,
  budgets: readonly WireBudget[] | "default" | null | undefined,
): void {
  if (!Array.isArray(budgets)) return;
  const list: readonly WireBudget[] = budgets;
  const endMs = findSenderEnd(access, way, [accountId]);
  if (endMs === null) return;
  const late = list.findIndex(({ extra_until: until }) => until && Date.parse(until) > endMs);
  if (late !== -1) throw beyondSenderEnd(`budgets[${late}].extra_until`, endMs);
}

export function beyondSenderEnd(param: string, endMs: number): Fault {
  const message = `'${param}' has to be ${formatInstant(endMs)} or earlier, when your own role ends.`;
  return new Fault("beyond_own_end", message, { param });
}
