// Changes to keys and accounts, as the store makes them.
import type { ACCOUNT_FIELDS } from "./fields/account.ts";
import type { ChangeOf } from "./fields/field.ts";
import type { KEY_FIELDS } from "./fields/key.ts";
import type { GatewayKey } from "./key.ts";

/** Undefined fields are left unchanged. */
export type KeyChange = ChangeOf<typeof KEY_FIELDS>;

export type AccountChange = ChangeOf<typeof ACCOUNT_FIELDS>;

/** A key's next secret. */
export interface NewSecret extends Pick<GatewayKey, "last4" | "oldSecretUntilMs"> {
  readonly digest: string;
}
