// Accounts that an import leaves without a balance where every request is paid.
import type { ActingWorld } from "../admin/world.ts";
import type { Account } from "../core/key.ts";
import type { PlannedAccount, PlannedOwners } from "./plan.ts";
import type { Report } from "./report.ts";
import { findAccount } from "./write-owners.ts";

type Stored = Pick<ActingWorld, "store"> | null;

/** Reports accounts whose keys are refused until a top-up. A dry run may have no store. */
export async function reportEmptyBalances(
  world: Stored,
  { accounts, keys }: PlannedOwners,
  report: Report,
): Promise<void> {
  const planned = new Map(accounts.map((one) => [one.account.id, one]));
  const paying = new Set(keys.filter(({ key }) => !key.isPaused).map(({ key }) => key.accountId));
  for (const id of paying) {
    const account = await findPaying(world, id, planned.get(id));
    if (account === null || account.isPaused || account.balanceNanoUsd > 0) continue;
    const words = `it is empty, so its keys' requests are refused: poundkey accounts topup ${account.id} AMOUNT`;
    report.leave(null, `balance of ${account.name}`, words);
  }
}

/** Returns the account as it is, or as it will be. Null if there is none. */
async function findPaying(
  world: Stored,
  id: string,
  planned: PlannedAccount | undefined,
): Promise<Account | null> {
  const wanted = planned && { ...planned.account, balanceNanoUsd: planned.topUpNanoUsd };
  const found = world && (await findAccount(world, wanted ?? { id, name: id }));
  return found === "several" ? null : (found ?? wanted ?? null);
}
