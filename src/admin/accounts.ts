// The operator's use-cases on accounts: create, list, view, rename.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import type { Account } from "../core/key.ts";
import { toUsd } from "../core/money.ts";
import { makeSystemAccount, type SystemAccount } from "../core/rows.ts";
import type { Store } from "../core/store.ts";
import { mintId } from "../keys/secret.ts";
import { formatInstant } from "./format.ts";
import { nameSchema, readName } from "./input.ts";
import { type Listed, listPage, type PageQuery } from "./list.ts";
import { allowNull, closeObject, instant, text, usd, type View } from "./schema.ts";
import type { AdminWorld } from "./world.ts";

/** An account as the operator sees it. */
export const accountSchema = Type.Object({
  id: text,
  name: text,
  balance_usd: usd,
  held_usd: usd,
  // Null for a system account, which is never created.
  created_at: allowNull(instant),
});
export type AccountView = View<typeof accountSchema>;

export const newAccountSchema = closeObject({ name: nameSchema });
export const accountChangeSchema = closeObject({ name: Type.Optional(nameSchema) });

export function accountView(account: Account): AccountView {
  return {
    id: account.id,
    name: account.name,
    balance_usd: toUsd(account.balanceNanoUsd),
    held_usd: toUsd(account.heldNanoUsd),
    created_at: formatInstant(account.createdAtMs),
  };
}

/** Creates an empty account. */
export async function createAccount(
  { store, clock, random }: AdminWorld,
  fields: Static<typeof newAccountSchema>,
): Promise<AccountView> {
  const name = readName(fields.name);
  const id = mintId("acct", random);
  const account: Account = {
    id,
    name,
    balanceNanoUsd: 0,
    heldNanoUsd: 0,
    entries: 0,
    keptCharacters: 0,
    createdAtMs: clock.nowMs(),
  };
  await store.addAccount(account);
  return accountView(account);
}

/** Returns a page of accounts, newest first. */
export function listAccounts({ store }: AdminWorld, query: PageQuery): Promise<Listed<AccountView>> {
  const positionOf = ({ createdAtMs: atMs, id }: Account) => ({ atMs, id });
  return listPage(query, (page) => store.accounts(page), positionOf, accountView);
}

/** Returns an account, or the total of `funding`, `revenue` or `overrun`. Throws the Fault `not_found`. */
export async function getAccount({ store }: AdminWorld, id: string): Promise<AccountView> {
  const system = makeSystemAccount(id);
  return system === null ? requireAccount(await store.account(id)) : systemView(store, system);
}

/** System accounts are the other side of every movement. They aren't listed, and can't be renamed or topped up. */
async function systemView(store: Pick<Store, "systemBalance">, id: SystemAccount): Promise<AccountView> {
  const balance = toUsd(await store.systemBalance(id));
  return { id, name: id, balance_usd: balance, held_usd: 0, created_at: null };
}

/** Changes the name if one is given. */
export async function updateAccount(
  { store }: AdminWorld,
  id: string,
  { name }: Static<typeof accountChangeSchema>,
): Promise<AccountView> {
  return requireAccount(
    await (name === undefined ? store.account(id) : store.renameAccount(id, readName(name))),
  );
}

function requireAccount(account: Account | null): AccountView {
  if (account !== null) return accountView(account);
  throw new Fault("not_found", "There is no account with that id.");
}
