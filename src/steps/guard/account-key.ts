// The key of an account's placeholders. It is derived from the store's data key, so that it outlives restarts, restored backups and
// new master keys.
import type { GatewayKey } from "../../core/keys/key.ts";
import type { Vault } from "../../core/world/world.ts";

/** `vault` is that of kept replies. */
export function makeAccountKey(
  vault: Pick<Vault, "digest">,
  { accountId }: Pick<GatewayKey, "accountId">,
): string {
  return vault.digest(`guard ${accountId}`);
}
