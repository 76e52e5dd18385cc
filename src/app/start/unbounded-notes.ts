// Logs the rules of the sign-in whose members no budget bounds, at the start and after each reload.
import { listUnbounded } from "../../config/unbounded-rules.ts";
import type { Settings } from "../../core/settings.ts";
import type { Log } from "../../core/world/world.ts";
import { readBoundAccounts } from "./account-names.ts";

/** The accounts of the rules may bound their members too. */
export async function noteUnbounded({ store, signIn, ownerLimits }: Settings, log: Log): Promise<void> {
  if (signIn === undefined) return;
  const bound = await readBoundAccounts(store, true);
  for (const at of listUnbounded(signIn, ownerLimits, bound ?? new Set())) {
    const field = `sign_in.oidc.rules[${at}]`;
    const message =
      "its members have no budget of their own, and each new key begins its own again; set 'budgets' here, or 'member_defaults' at the top of the file or of the accounts";
    log({ event: "members_unbounded", level: "warn", field, message });
  }
}
