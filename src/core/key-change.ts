// Changes to keys, as the store makes them.
import type { ChangeOf } from "./fields/field.ts";
import type { KEY_FIELDS } from "./fields/key.ts";
import { omitUndefined } from "./json.ts";
import type { GatewayKey } from "./key.ts";

/** Undefined fields are left unchanged. */
export type KeyChange = ChangeOf<typeof KEY_FIELDS>;

export function changeKey(key: GatewayKey, change: KeyChange): GatewayKey {
  return { ...key, ...omitUndefined(change) };
}

/** A key's next secret. */
export interface NewSecret extends Pick<GatewayKey, "last4" | "oldSecretUntilMs"> {
  readonly digest: string;
}
