// Changes to keys, as the store makes them.
import { omitUndefined } from "./json.ts";
import type { GatewayKey } from "./key.ts";

/** Undefined fields are left unchanged. */
export type KeyChange = Partial<
  Pick<
    GatewayKey,
    | ("name" | "notes" | "isPaused" | "expiresAtMs" | "requestsPerDay" | "spendLimitNanoUsd")
    | ("allowedModels" | "allowedAddresses" | "keepsResponses")
  >
>;

export function changeKey(key: GatewayKey, change: KeyChange): GatewayKey {
  return { ...key, ...omitUndefined(change) };
}

/** A key's next secret. */
export interface NewSecret extends Pick<GatewayKey, "last4" | "oldSecretUntilMs"> {
  readonly digest: string;
}
