// The order to forget what was used of the budgets of a key, a member or an account, for example after a wrong price.
import { type Static, Type } from "@sinclair/typebox";
import type { AuditTarget } from "../../core/audit/audit-log.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { mintId } from "../../keys/secret.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ResetOrder } from "../../ledger/limits/reset-order.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { makeEntry } from "../audit/audit-trail.ts";
import { checkReset } from "../keys/key-rights.ts";
import { requireKey } from "../keys/keys.ts";
import { getKey, type KeyDetailView, type KeyParts } from "../keys/keys-in-use.ts";
import { type AccountView, getAccount, requireInAccount } from "../money/accounts.ts";
import { noMember } from "../people/members.ts";
import { closeObject, text, type View } from "../schema.ts";
import type { ActingWorld } from "../world.ts";
import { limitsSchema, limitView } from "./limits.ts";

const REASON_CHARACTERS_MAX = 500;

export const budgetResetSchema = closeObject({
  reason: Type.String({ minLength: 1, maxLength: REASON_CHARACTERS_MAX }),
});

export const memberResetSchema = closeObject({ account_id: text, ...budgetResetSchema.properties });

/** A member's limits in an account with their use. */
export const memberLimitsSchema = Type.Object({ id: text, account_id: text, limits: limitsSchema });
type MemberLimitsView = View<typeof memberLimitsSchema>;

export interface ResetParts extends KeyParts, Pick<ActingWorld, "random"> {
  readonly ledger: KeyParts["ledger"] & Pick<Ledger, "resetBudgets">;
}

/** The reason and the amounts stay on record. Throws the Fault `not_found`. */
export async function resetKeyBudgets(
  parts: ResetParts & Pick<ActingWorld, "act">,
  keyId: string,
  { reason }: Static<typeof budgetResetSchema>,
  access = adminAccess(COMMAND_LINE),
): Promise<KeyDetailView> {
  const key = requireKey(keyId, await parts.store.key(keyId, access.scope("keys.read")));
  const { accountId, name } = key;
  const account = await parts.store.account(accountId);
  if (account === null) throw new Fault("not_found", "The key's account does not exist.");
  checkReset({ access }, key, account);
  const order = makeOrder(parts, access, { accountId, reason, target: { type: "key", id: keyId, name } });
  await parts.ledger.resetBudgets({ ...order, keyId });
  return getKey(parts, keyId, access.scope("keys.read"));
}

interface MemberResetParts extends ActingWorld {
  readonly ledger: Pick<Ledger, "resetBudgets" | "memberLimits">;
}

/** The same for a member's budgets within an account. Nobody but an admin resets their own. */
export async function resetMemberBudgets(
  parts: MemberResetParts,
  memberId: string,
  { account_id: accountId, reason }: Static<typeof memberResetSchema>,
  access: Access,
): Promise<MemberLimitsView> {
  const { store, ledger } = parts;
  if ((await store.account(accountId, access.scope("accounts.read"))) === null) {
    throw invalidValue("account_id", "this account doesn't exist");
  }
  access.require("members.limit", accountId);
  const member = await store.people.member(memberId, access.scope("members.read"));
  if (member === null) throw noMember();
  refuseOwn(access, memberId, accountId);
  const target = { type: "member", id: memberId, name: member.name } as const;
  await ledger.resetBudgets({ ...makeOrder(parts, access, { accountId, reason, target }), memberId });
  const limits = await ledger.memberLimits({ accountId, memberId });
  return { id: memberId, account_id: accountId, limits: limits.map(limitView) };
}

interface AccountResetParts extends ActingWorld {
  readonly ledger: Pick<Ledger, "resetBudgets">;
}

/** The same for an account's own budgets, by those who may raise them. */
export async function resetAccountBudgets(
  parts: AccountResetParts,
  accountId: string,
  { reason }: Static<typeof budgetResetSchema>,
  access: Access,
): Promise<AccountView> {
  const scope = access.scope("accounts.read");
  await requireInAccount(parts, access, "accounts.limit", accountId);
  const { name } = await getAccount(parts, accountId, scope);
  const target = { type: "account", id: accountId, name } as const;
  await parts.ledger.resetBudgets(makeOrder(parts, access, { accountId, reason, target }));
  return getAccount(parts, accountId, scope);
}

interface ResetWords {
  readonly accountId: string;
  readonly reason: string;
  readonly target: AuditTarget;
}

/** Returns an order for the account's own budgets, unless a key or a member is added. */
function makeOrder(
  parts: Pick<ActingWorld, "act" | "clock" | "random">,
  access: Access,
  { accountId, reason, target }: ResetWords,
): ResetOrder {
  const entry = makeEntry(parts, parts.act, {
    action: "budget.reset",
    target,
    accountId,
    after: { reason },
  });
  const by = access.actor.id;
  return { id: mintId("evt", parts.random), accountId, keyId: null, memberId: null, by, reason, entry };
}

/** Throws the Fault `not_permitted` if what binds the sender would be widened by the sender, unless by an admin. */
function refuseOwn(access: Access, memberId: string, accountId: string): void {
  if (access.personId !== memberId || access.roleIn(accountId) === "admin") return;
  throw new Fault("not_permitted", "This isn't permitted: these limits bind yourself.", { param: "id" });
}
