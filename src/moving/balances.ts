// Tops up accounts by the balances that they had at the other gateway, and reports those that an import leaves empty.
import { topUpAccount } from "../admin/money/topups.ts";
import type { ActingWorld } from "../admin/world.ts";
import { Fault } from "../core/faults/fault.ts";
import type { Account } from "../core/keys/key.ts";
import { type NanoUsd, toUsd } from "../core/money/money.ts";
import type { PlannedOwners } from "./plan.ts";
import type { Report } from "./report.ts";

interface OpeningBalance {
  /** The top-up's Idempotency-Key. */
  readonly order: string;
  readonly nanoUsd: NanoUsd;
}

/** Tops up once: a later import finds that the balance has been used, or is another by now. */
export async function openBalance(
  world: ActingWorld,
  { id, name }: Pick<Account, "id" | "name">,
  { order, nanoUsd }: OpeningBalance,
  report: Report,
): Promise<void> {
  const usd = toUsd(nanoUsd);
  // Large amounts are confirmed by the same figure. A person typed none of these.
  const body = { amount_usd: usd, confirm_amount_usd: usd, note: "balance at the other gateway" };
  try {
    await topUpAccount(world, id, body, order);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "idempotency_mismatch") throw error;
    report.leave(null, `balance of ${name}`, "an earlier import has added the balance of that time");
  }
}

/** Reports accounts whose keys are refused until a top-up. */
export async function reportEmptyBalances(
  { store }: Pick<ActingWorld, "store">,
  { keys }: PlannedOwners,
  report: Report,
): Promise<void> {
  const paying = new Set<string>();
  for (const { key } of keys) {
    const written = key.isPaused ? null : await store.key(key.id);
    if (written !== null) paying.add(written.accountId);
  }
  for (const id of paying) {
    const account = await store.account(id);
    if (account === null || account.isPaused || account.balanceNanoUsd > 0) continue;
    const words = `it is empty, so its keys' requests are refused: poundkey accounts topup ${account.id} AMOUNT`;
    report.leave(null, `balance of ${account.name}`, words);
  }
}
