// The operator's use-cases on accounts: create, list, view, change.
import { type Static, Type } from "@sinclair/typebox";
import { makeSystemAccount, type SystemAccount } from "../../core/books/journal.ts";
import { Fault } from "../../core/faults/fault.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { listInitials } from "../../core/fields/field.ts";
import {
  ACCOUNT_DEFAULTS,
  ACCOUNT_STATES,
  type Account,
  findAccountState,
  showPausers,
} from "../../core/keys/key.ts";
import { toUsd } from "../../core/money/money.ts";
import { PAUSERS, type Scope } from "../../core/people/people.ts";
import type { Permission } from "../../core/people/permissions.ts";
import type { SortCosts, Store } from "../../core/store.ts";
import { mintId } from "../../keys/secret.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import {
  makeChangeSchema,
  makeNewSchema,
  makeViewProperties,
  readChange,
  readNew,
  viewFields,
} from "../fields.ts";
import { formatInstant } from "../format.ts";
import { changePauses } from "../keys/pauses.ts";
import { raiseBudgets, readRaises } from "../limits/budgets.ts";
import { limitsSchema } from "../limits/limits.ts";
import { isUnsorted, type ListPage, listPage, listSorted, sortedFields } from "../list.ts";
import { refuseLateExtras } from "../people/sender-rights.ts";
import { allowNull, allowWords, closeObject, instant, text, usd, type View } from "../schema.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";

/** An account as the operator sees it. */
export const accountSchema = Type.Object({
  id: text,
  ...makeViewProperties(ACCOUNT_FIELDS),
  balance_usd: usd,
  held_usd: usd,
  paused_by: Type.Array(allowWords(PAUSERS)),
  /** The amount owed after a refund or a dispute. */
  due_usd: usd,
  state: allowWords(ACCOUNT_STATES),
  // Null for a system account, which is never created.
  created_at: allowNull(instant),
});
export type AccountView = View<typeof accountSchema>;

/** One account with the use of its limits. */
export const accountDetailSchema = Type.Object({ ...accountSchema.properties, limits: limitsSchema });
export type AccountDetailView = View<typeof accountDetailSchema>;

export const newAccountSchema = makeNewSchema(ACCOUNT_FIELDS);
export const accountChangeSchema = makeChangeSchema(ACCOUNT_FIELDS);

export function accountView(account: Account): AccountView {
  return {
    id: account.id,
    ...viewFields(ACCOUNT_FIELDS, account),
    balance_usd: toUsd(account.balanceNanoUsd),
    held_usd: toUsd(account.heldNanoUsd),
    paused_by: showPausers(account),
    due_usd: toUsd(account.receivableNanoUsd),
    state: findAccountState(account),
    created_at: formatInstant(account.createdAtMs),
  };
}

/** Creates an empty account. */
export async function createAccount(
  { changes, clock, random, aliasNames }: Pick<ActingWorld, "changes" | "clock" | "random" | "aliasNames">,
  fields: Static<typeof newAccountSchema>,
  access = adminAccess(COMMAND_LINE),
): Promise<AccountView> {
  refuseLateExtras(access, "createAccount", null, fields.budgets);
  const nowMs = clock.nowMs();
  const account: Account = {
    ...ACCOUNT_DEFAULTS,
    ...readNew(ACCOUNT_FIELDS, fields, { nowMs, aliasNames }),
    id: mintId("acct", random),
    createdAtMs: nowMs,
  };
  await changes.addAccount(account);
  return accountView(account);
}

export const accountsQuery = closeObject(sortedFields("accounts"));

/** Returns a page of the accounts within the scope, newest first or as the query sorts them. */
export async function listAccounts(
  { store }: Pick<AdminWorld, "store">,
  query: Static<typeof accountsQuery>,
  scope?: Scope,
  costs?: SortCosts,
): Promise<ListPage<AccountView>> {
  if (!isUnsorted(query)) {
    const { data, next } = await listSorted("accounts", query, (page) =>
      store.things.sorted("accounts", page, { filter: { scope }, costs }),
    );
    return { data: data.map(accountView), next };
  }
  const positionOf = ({ createdAtMs: atMs, id }: Account) => ({ atMs, id });
  return listPage(query, (page) => store.accounts(page, { scope }), positionOf, accountView);
}

/** Returns an account, or the total of `funding`, `revenue`, `overrun` or `receivable`. Throws the Fault `not_found`. */
export async function getAccount({ store }: AdminWorld, id: string, scope?: Scope): Promise<AccountView> {
  const system = findSystemAccount(id, scope);
  return system === null ? requireAccount(await store.account(id, scope)) : systemView(store, system);
}

/** System accounts belong to nobody: only those who see every account see them. */
export function findSystemAccount(id: string, scope?: Scope): SystemAccount | null {
  return (scope?.accountIds ?? null) === null ? makeSystemAccount(id) : null;
}

/**
 * Returns once the sender is known to have the permission in this account. Throws the Faults `not_found`, for accounts
 * that the sender doesn't see too, and `not_permitted`.
 */
export async function requireInAccount(
  { store }: Pick<AdminWorld, "store">,
  access: Access,
  permission: Permission,
  id: string,
): Promise<void> {
  const scope = access.scope("accounts.read");
  const system = findSystemAccount(id, scope);
  if (system === null) requireAccount(await store.account(id, scope));
  access.require(permission, id);
}

/** System accounts are the other side of every movement. They aren't listed, and can't be renamed or topped up. */
async function systemView(store: Pick<Store, "journals">, id: SystemAccount): Promise<AccountView> {
  const balance = toUsd(await store.journals.systemBalance(id));
  const fields = viewFields(ACCOUNT_FIELDS, { ...listInitials(ACCOUNT_FIELDS), name: id });
  return {
    id,
    ...fields,
    balance_usd: balance,
    held_usd: 0,
    paused_by: [],
    due_usd: 0,
    state: "open",
    created_at: null,
  };
}

/** Changes only the given fields. */
export async function updateAccount(
  { store, changes, clock, aliasNames }: Pick<ActingWorld, "store" | "changes" | "clock" | "aliasNames">,
  id: string,
  fields: Static<typeof accountChangeSchema>,
  access = adminAccess(COMMAND_LINE),
): Promise<AccountView> {
  const raises = readRaises(fields.budgets, "budgets");
  const given = raises ? { ...fields, budgets: undefined } : fields;
  const { isPaused, ...change } = readChange(ACCOUNT_FIELDS, given, { nowMs: clock.nowMs(), aliasNames });
  await requireInAccount({ store }, access, "accounts.limit", id);
  refuseLateExtras(access, "updateAccount", id, fields.budgets);
  if (change.name !== undefined) await refuseOthersName(store, id, change.name, access);
  const role = access.roleIn(id) ?? "member";
  const revise = (before: Account) => ({
    ...change,
    ...(raises ? { budgets: raiseBudgets(before.budgets, raises) } : {}),
    ...(isPaused === undefined ? {} : changePauses(role, before, isPaused)),
  });
  return requireAccount(await changes.changeAccount(id, revise));
}

/**
 * Rules of the sign-in name accounts, so a sender who may rename only some of them can't give one the name or the id of
 * another. Throws the Fault `not_permitted`.
 */
async function refuseOthersName(
  store: Pick<AdminWorld["store"], "people">,
  id: string,
  name: string,
  access: Access,
): Promise<void> {
  if (access.accountsWith("accounts.limit") === null) return;
  const others = (await store.people.accountsNamed([name])).filter((one) => one.id !== id);
  if (others.length === 0) return;
  const message = `This isn't permitted: 'name' is another account's name or id, by which roles are given. Choose another one.`;
  throw new Fault("not_permitted", message, { param: "name" });
}

function requireAccount(account: Account | null): AccountView {
  if (account !== null) return accountView(account);
  throw new Fault("not_found", "There is no account with that id.");
}
