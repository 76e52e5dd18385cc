// The account that a person gets of their own, where the rules name none in which the person may use keys.
import type { Changes } from "../core/changes.ts";
import { ACCOUNT_DEFAULTS } from "../core/keys/key.ts";
import type { SignInRules } from "../core/people/sign-in.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world/world.ts";
import { digestSecret } from "../keys/secret.ts";
import type { Admission } from "./claims.ts";

const ID_DIGITS = 21;
const NAME_DIGITS = 8;

/** Returns its id, which follows from the person's. Null if people get none. */
export function findPersonalAccountId(
  memberId: string,
  { members }: Pick<SignInRules, "members">,
  pepper: Uint8Array,
): string | null {
  return members.createsAccount ? makePersonalAccountId(memberId, pepper) : null;
}

/** Returns the id that the person's own account has, if there is one. */
export function makePersonalAccountId(memberId: string, pepper: Uint8Array): string {
  return `acct_${digestSecret(`own account ${memberId}`, pepper).slice(0, ID_DIGITS)}`;
}

interface PersonalAccountParts {
  readonly store: Pick<Store, "account">;
  readonly changes: Pick<Changes, "addAccount">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Makes the account if the person was admitted to it and it doesn't exist yet. Two sign-ins at once make one. */
export async function ensurePersonalAccount(
  { store, changes, clock }: PersonalAccountParts,
  { grants }: Pick<Admission, "grants">,
  id: string | null,
): Promise<void> {
  if (id === null || !grants.some(({ accountId }) => accountId === id)) return;
  if ((await store.account(id)) !== null) return;
  // Without the person's name, which others may have, and which is forgotten once the person is made anonymous.
  const name = `Personal ${id.slice(-NAME_DIGITS)}`;
  try {
    await changes.addAccount({ ...ACCOUNT_DEFAULTS, id, name, createdAtMs: clock.nowMs() });
  } catch (error) {
    if ((await store.account(id)) === null) throw error;
  }
}
