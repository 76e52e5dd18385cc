// The patterns by which a hook, or a rule of the guard, applies to the requests of keys and accounts.
import type { GatewayKey } from "../core/keys/key.ts";
import { matchesAny } from "../core/text/pattern.ts";

/** Returns the account's name. Rejects if it can't be read. */
export type FindAccountName = (id: string) => Promise<string | null>;

interface SenderPatterns {
  readonly keys: readonly string[];
  readonly accounts: readonly string[];
}

export function matchesKey({ keys }: SenderPatterns, { name, id }: Pick<GatewayKey, "name" | "id">): boolean {
  return matchesAny(keys, name) || matchesAny(keys, id);
}

/** An account whose name can't be read matches, so that its texts are looked at rather than let through. */
export async function matchesAccount(
  { accounts }: SenderPatterns,
  { accountId }: Pick<GatewayKey, "accountId">,
  findName: FindAccountName,
): Promise<boolean> {
  if (matchesAny(accounts, accountId)) return true;
  const name = await findName(accountId).catch(() => null);
  return name === null ? accounts.length > 0 : matchesAny(accounts, name);
}
