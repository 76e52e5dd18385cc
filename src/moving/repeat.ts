// Takes later spending, blocks and deletions to accounts and keys that are here, when an import is repeated. It only narrows.
import { adjustAccount } from "../admin/money/topups.ts";
import type { ActingWorld } from "../admin/world.ts";
import { Fault } from "../core/faults/fault.ts";
import type { Account, GatewayKey } from "../core/keys/key.ts";
import { type NanoUsd, toUsd } from "../core/money/money.ts";
import { mintId } from "../keys/secret.ts";
import type { LedgerRules } from "../ledger/allowance.ts";
import { resetBudgets } from "../ledger/limits/reset-order.ts";
import type { PlannedAccount, PlannedKey } from "./plan.ts";
import { listAdded, type TakenOwner } from "./taken-record.ts";

interface RepeatedOwnerParts {
  readonly rules: LedgerRules;
  /** The owner as the last import found it. Null if none has kept a record. */
  readonly before: TakenOwner | null;
}

/** Returns what was changed, in words. Empty if nothing was. */
export async function repeatKey(
  world: ActingWorld,
  key: GatewayKey,
  planned: PlannedKey,
  parts: RepeatedOwnerParts,
): Promise<readonly string[]> {
  if (key.revokedAtMs !== null) return [];
  const words: string[] = [];
  if (planned.isBlocked && !key.isPaused) {
    await world.changes.changeKey(key.id, pause);
    words.push("paused, as it is blocked there");
  }
  const owner = { accountId: key.accountId, keyId: key.id };
  return [...words, ...(await addSpending(world, owner, planned, parts))];
}

export async function repeatAccount(
  world: ActingWorld,
  account: Account,
  planned: PlannedAccount,
  parts: RepeatedOwnerParts,
): Promise<readonly string[]> {
  if (account.closingAtMs !== null) return [];
  const words: string[] = [];
  if (planned.isBlocked && !account.isPaused) {
    await world.changes.changeAccount(account.id, pause);
    words.push("paused, as it is blocked there");
  }
  words.push(...(await addSpending(world, { accountId: account.id, keyId: null }, planned, parts)));
  const usedNanoUsd = (parts.before?.balanceNanoUsd ?? 0) - planned.topUpNanoUsd;
  if (usedNanoUsd > 0) words.push(...(await takeBalance(world, account, usedNanoUsd)));
  return words;
}

function pause({ pausedBy, isPaused }: Pick<Account, "isPaused" | "pausedBy">) {
  return { isPaused: true, pausedBy: isPaused ? pausedBy : (["admin"] as const) };
}

async function addSpending(
  { store, clock, random }: ActingWorld,
  owner: { readonly accountId: string; readonly keyId: string | null },
  { spent }: Pick<PlannedKey, "spent">,
  { rules, before }: RepeatedOwnerParts,
): Promise<readonly string[]> {
  const added = listAdded(spent, before?.spent ?? {});
  const names = Object.keys(added);
  if (names.length === 0) return [];
  const order = {
    ...owner,
    memberId: null,
    id: mintId("evt", random),
    by: "import",
    reason: "",
    entry: null,
    added,
  };
  await resetBudgets({ store, clock, rules: () => rules }, order);
  return names.map((name) => `${toUsd(added[name] ?? 0)} USD more were spent there of its budget ${name}`);
}

/** Takes what was spent of a balance there, and no more than is left of it here. */
async function takeBalance(
  world: ActingWorld,
  { id, balanceNanoUsd }: Account,
  usedNanoUsd: NanoUsd,
): Promise<readonly string[]> {
  const nanoUsd = Math.min(usedNanoUsd, balanceNanoUsd);
  if (nanoUsd === 0) return [];
  const usd = -toUsd(nanoUsd);
  try {
    const fields = { amount_usd: usd, confirm_amount_usd: usd, reason: "spent at the other gateway" };
    await adjustAccount(world, id, fields, null);
  } catch (error) {
    // Requests here were faster.
    if (error instanceof Fault && error.code === "balance_too_low") return [];
    throw error;
  }
  return [`${toUsd(nanoUsd)} USD of its balance were spent there`];
}

/** Ends what an earlier import made of keys that are gone there. An account stays, since money is in it. */
export async function endMissing(
  { store, changes, clock }: ActingWorld,
  missing: readonly TakenOwner[],
): Promise<readonly string[]> {
  const ended: string[] = [];
  for (const { kind, id } of missing) {
    if (kind === "key") {
      const key = await store.key(id);
      if (key === null || key.revokedAtMs !== null) continue;
      await changes.revokeKey(id, clock.nowMs());
      ended.push(`key ${key.name}`);
    } else {
      const account = await store.account(id);
      if (account === null || account.isPaused || account.closingAtMs !== null) continue;
      await changes.changeAccount(id, pause);
      ended.push(`account ${account.name}`);
    }
  }
  return ended;
}
