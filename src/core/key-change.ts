// Changes to keys and accounts, as the store makes them.
import type { ACCOUNT_FIELDS } from "./fields/account.ts";
import type { ChangeOf } from "./fields/field.ts";
import type { KEY_FIELDS } from "./fields/key.ts";
import type { Account, GatewayKey } from "./key.ts";

/** Undefined fields are left unchanged. */
export type KeyChange = ChangeOf<typeof KEY_FIELDS> & Partial<Pick<GatewayKey, "pausedBy">>;
/** Makes the change of the key as it is, in its transaction. Pure: it may run more than once. A Fault that it throws changes nothing. */
export type PlanKeyChange = (before: GatewayKey, account: Account) => KeyChange;

export type AccountChange = ChangeOf<typeof ACCOUNT_FIELDS> & Partial<Pick<Account, "pausedBy">>;
export type PlanAccountChange = (before: Account) => AccountChange;

/** A key's next secret. */
export interface NewSecret extends Pick<GatewayKey, "last4" | "oldSecretUntilMs"> {
  readonly digest: string;
}
