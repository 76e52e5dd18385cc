// The operator's use-cases on accounts: make, list, look at, rename.
import { Fault } from "../core/fault.ts";
import type { Account } from "../core/key.ts";
import { usdOf } from "../core/money.ts";
import { mintId } from "../keys/secret.ts";
import { fieldsOf, optional, readName, required } from "./input.ts";
import { instantOf } from "./instant.ts";
import { type Listed, listPage, PAGE_FIELDS } from "./list.ts";
import type { AdminWorld } from "./world.ts";

/** An account as the operator sees it. */
export interface AccountView {
  readonly id: string;
  readonly name: string;
  readonly balance_usd: number;
  readonly held_usd: number;
  readonly created_at: string;
}

function accountView(account: Account): AccountView {
  return {
    id: account.id,
    name: account.name,
    balance_usd: usdOf(account.balanceNanoUsd),
    held_usd: usdOf(account.heldNanoUsd),
    created_at: instantOf(account.createdAtMs),
  };
}

/** Makes an account from `{ name }`, with nothing on it. */
export async function createAccount(
  { store, clock, random }: AdminWorld,
  body: unknown,
): Promise<AccountView> {
  const name = required(fieldsOf(body, ["name"]), "name", readName);
  const id = mintId("acct", random);
  const account = { id, name, balanceNanoUsd: 0, heldNanoUsd: 0, createdAtMs: clock.nowMs() };
  await store.addAccount(account);
  return accountView(account);
}

/** A page of accounts, newest first. */
export function listAccounts({ store }: AdminWorld, query: unknown): Promise<Listed<AccountView>> {
  const fields = fieldsOf(query, PAGE_FIELDS);
  const positionOf = ({ createdAtMs: atMs, id }: Account) => ({ atMs, id });
  return listPage(fields, (page) => store.accounts(page), positionOf, accountView);
}

/** Throws the Fault `not_found`. */
export async function getAccount({ store }: AdminWorld, id: string): Promise<AccountView> {
  return found(await store.account(id));
}

/** Changes the name, when one is given. */
export async function updateAccount({ store }: AdminWorld, id: string, body: unknown): Promise<AccountView> {
  const name = optional(fieldsOf(body, ["name"]), "name", readName);
  return found(await (name === undefined ? store.account(id) : store.renameAccount(id, name)));
}

function found(account: Account | null): AccountView {
  if (account !== null) return accountView(account);
  throw new Fault("not_found", "There is no account with that id.");
}
