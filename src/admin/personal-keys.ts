// Keys of single people: whose a new key is, and how many a person may have.
import type { Fault } from "../core/fault.ts";
import { invalidValue } from "../core/schema-fault.ts";
import type { RecordedStore } from "../core/store.ts";
import type { Access } from "../people/access.ts";
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

/**
 * Returns the Fault with which one more key of this person is refused, or null. Keys that are made at the same moment may
 * pass the bound together.
 */
export async function refuseOneMore(
  { store }: { readonly store: Pick<RecordedStore, "keys"> },
  { personalKeysMax }: Pick<KeyRights, "personalKeysMax">,
  memberId: string | null,
): Promise<Fault | null> {
  if (personalKeysMax === null || memberId === null) return null;
  const live = { memberId, isRevoked: false, nowMs: 0 };
  const held = await store.keys({ limit: personalKeysMax + 1, after: null }, live);
  if (held.length < personalKeysMax) return null;
  const message = `a person has at most ${personalKeysMax} personal keys (sign_in.oidc.members.keys); revoke one first`;
  return invalidValue("kind", message);
}
