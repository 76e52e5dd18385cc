// Keys of single people: whose a new key is, how many a person may have, and how often they may make one.
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { Account } from "../../core/keys/key.ts";
import { type HeldKeys, type KeyMaking, MAKING_COUNTS_MS } from "../../core/keys/key-making.ts";
import { findMemberKeys } from "../../core/limits/member-limits.ts";
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

/** The person of a key that is to be made, with its account and the time. */
interface Making {
  readonly memberId: string | null;
  readonly account: Account;
  readonly nowMs: number;
}

/** Returns what the transaction that makes one more key looks at. Null for a service key. */
export function planMaking(
  { access, personalKeysMax, keysPerHour, limitRules }: KeyRights,
  { memberId, account, nowMs }: Making,
): KeyMaking | null {
  if (memberId === null) return null;
  const check = (held: HeldKeys) => {
    refuseOften(held, keysPerHour, nowMs);
    if (personalKeysMax !== null && held.inScope >= personalKeysMax) {
      const message = `a person has at most ${personalKeysMax} personal keys (sign_in.oidc.members.keys); revoke one first`;
      throw invalidValue("kind", message);
    }
    refuseInAccount(held, findMemberKeys(account, limitRules.memberDefaults));
  };
  // Keys in accounts where the person has no such role any more are refused, and can't be revoked by their member.
  const scope = access.scope("own.keys.write");
  return { memberId, accountId: account.id, scope, atMs: nowMs, check };
}

/** The same for a key of this person that comes to the account from another one. */
export function planArrival(
  { limitRules }: Pick<KeyRights, "limitRules">,
  { memberId, account, nowMs }: Making,
): KeyMaking | null {
  const most = findMemberKeys(account, limitRules.memberDefaults);
  if (memberId === null || most === null) return null;
  const check = (held: HeldKeys) => refuseInAccount(held, most);
  return { memberId, accountId: account.id, scope: EVERYWHERE, atMs: nowMs, check };
}

/** The same for another secret of a person's key, or for one of which a person has as many as their agents need. */
export function planRotation(
  { keysPerHour }: Pick<KeyRights, "keysPerHour">,
  { memberId, account, nowMs }: Making & { readonly memberId: string },
): KeyMaking {
  const check = (held: HeldKeys) => refuseOften(held, keysPerHour, nowMs);
  return { memberId, accountId: account.id, scope: EVERYWHERE, atMs: nowMs, check };
}

const EVERYWHERE = { accountIds: null, personal: null };

function refuseInAccount({ inAccount }: HeldKeys, most: number | null): void {
  if (most === null || inAccount < most) return;
  const message = `a member of this account has at most ${most} personal keys there (member_defaults.keys); revoke one first`;
  throw invalidValue("account_id", message);
}

function refuseOften({ makings }: HeldKeys, most: number | null, nowMs: number): void {
  const blocking = most === null ? undefined : makings.at(-most);
  if (most === null || makings.length < most || blocking === undefined) return;
  const resetAtMs = blocking + MAKING_COUNTS_MS;
  const message = `A person makes and rotates at most ${most} personal keys an hour (sign_in.oidc.members.keys_per_hour). Wait, and use the keys that you have.`;
  throw new Fault("too_many_changes", message, { retryAfterMs: Math.max(1, resetAtMs - nowMs), resetAtMs });
}
