// Keys of single people: whose a new key is, and how many a person may have.
import type { Fault } from "../../core/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { Account } from "../../core/keys/key.ts";
import type { KeyFilter, Store } from "../../core/store.ts";
import type { Access } from "../../people/access.ts";
import type { KeyKind } from "./key-fields.ts";
import type { KeyRights } from "./key-rights.ts";

/** Returns the person whose key it is to be, null for a service key. People who may make no other make personal keys. */
export function findHolder(access: Access, kind: KeyKind | undefined, accountId: string): string | null {
  const { memberId } = access;
  const isPersonal = kind === "personal" || (kind === undefined && !access.may("keys.write", accountId));
  if (kind === "personal" && memberId === null) {
    throw invalidValue("kind", "only people who are signed in have personal keys");
  }
  return isPersonal ? memberId : null;
}

interface KeyHolding {
  readonly store: Pick<Store, "keys">;
}

/**
 * Returns the Fault with which one more key of this person in the account is refused, or null. Keys that are made at the
 * same moment may pass the bounds together.
 */
export async function refuseOneMore(
  { store }: KeyHolding,
  { access, personalKeysMax }: Pick<KeyRights, "access" | "personalKeysMax">,
  { memberId, account }: { readonly memberId: string | null; readonly account: Account },
): Promise<Fault | null> {
  if (memberId === null) return null;
  // Keys in accounts where the person has no such role any more are refused, and can't be revoked by their member.
  const scope = access.scope("own.keys.write");
  if (personalKeysMax !== null && (await holds(store, { memberId, scope }, personalKeysMax))) {
    const message = `a person has at most ${personalKeysMax} personal keys (sign_in.oidc.members.keys); revoke one first`;
    return invalidValue("kind", message);
  }
  return refuseInAccount({ store }, memberId, account);
}

/** The same for a key of this person that comes to the account from another one. */
export async function refuseInAccount(
  { store }: KeyHolding,
  memberId: string,
  { id, memberDefaults }: Account,
): Promise<Fault | null> {
  const most = memberDefaults?.keys ?? null;
  if (most === null || !(await holds(store, { memberId, accountId: id }, most))) return null;
  const message = `a member of this account has at most ${most} personal keys there (member_defaults.keys); revoke one first`;
  return invalidValue("account_id", message);
}

async function holds(
  store: KeyHolding["store"],
  of: Pick<KeyFilter, "accountId" | "memberId" | "scope">,
  most: number,
): Promise<boolean> {
  const live = await store.keys({ limit: most + 1, after: null }, { ...of, isRevoked: false, nowMs: 0 });
  return live.length >= most;
}
