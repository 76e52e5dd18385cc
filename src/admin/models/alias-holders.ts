// The keys that hold an alias and whose account has a balance: moving the alias decides what that balance pays for.
import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { writeAliasEntry } from "../../core/models/alias-entry.ts";
import type { Store } from "../../core/store.ts";
import { readPages } from "../../core/world/read-pages.ts";
import type { Clock } from "../../core/world/world.ts";
import type { Access } from "../../people/access.ts";

interface AliasHolderParts {
  readonly store: Pick<Store, "keys" | "account">;
  readonly clock: Pick<Clock, "nowMs">;
}

const ROWS_AT_ONCE = 1000;
/** The most keys that an entry of the audit log names. */
const NAMED_MAX = 100;

/** Returns the keys that aren't revoked, may use the alias by its name, and belong to accounts with a balance. */
export async function listPaidHolders(
  { store, clock }: AliasHolderParts,
  { name, createdAtMs }: { readonly name: string; readonly createdAtMs: number },
): Promise<readonly GatewayKey[]> {
  const entry = writeAliasEntry(name, createdAtMs);
  const modelsText = JSON.stringify(entry).slice(1, -1).toLowerCase();
  const filter = { nowMs: clock.nowMs(), isRevoked: false, modelsText };
  const hasBalance = new Map<string, boolean>();
  const found: GatewayKey[] = [];
  for await (const page of readPages((one) => store.keys(one, filter), ROWS_AT_ONCE)) {
    for (const key of page) {
      if (!key.allowedModels?.includes(entry)) continue;
      const known = hasBalance.get(key.accountId) ?? (await isFunded(store, key.accountId));
      hasBalance.set(key.accountId, known);
      if (known) found.push(key);
    }
  }
  return found;
}

async function isFunded(store: AliasHolderParts["store"], accountId: string): Promise<boolean> {
  const account = await store.account(accountId);
  return account !== null && (account.balanceNanoUsd !== 0 || account.heldNanoUsd !== 0);
}

/** Throws the Fault `not_permitted` unless the sender is an admin of all of the keys' accounts. */
export function checkMove(access: Access, name: string, holders: readonly GatewayKey[]): void {
  if (holders.every(({ accountId }) => access.roleIn(accountId) === "admin")) return;
  const message = `This isn't permitted: keys of accounts with a balance hold the alias '${name}', so only the role 'admin' moves it.`;
  throw new Fault("not_permitted", message, { param: "target" });
}

/** Returns the keys as the audit log names them. */
export function nameHolders(holders: readonly GatewayKey[]) {
  const keys = holders
    .slice(0, NAMED_MAX)
    .map(({ id, name, accountId }) => ({ id, name, account_id: accountId }));
  return holders.length > NAMED_MAX ? { keys, keys_in_all: holders.length } : { keys };
}
