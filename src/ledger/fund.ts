// Top-ups: money that comes onto an account.
import type { Account } from "../core/key.ts";
import type { NanoUsd } from "../core/money.ts";
import type { Store } from "../core/store.ts";
import { misanswered } from "./ledger.ts";

export interface TopUpOrder {
  readonly accountId: string;
  /** Repeated for the account, it names the same top-up. */
  readonly id: string;
  readonly nanoUsd: NanoUsd;
  readonly note: string | null;
  readonly nowMs: number;
}

/** Adds to an account's balance, once per id. Throws the Faults `not_found`, `invalid_value`, `idempotency_mismatch`. */
export async function topUp(store: Pick<Store, "transact">, order: TopUpOrder): Promise<Account> {
  const { accountId } = order;
  // One batch decides for many accounts, and finds top-ups by their ids alone.
  const id = `${accountId} ${order.id}`;
  const reads = {
    accountId,
    keyId: null,
    owners: [],
    days: [],
    requestId: null,
    replyId: null,
    topUpId: id,
  };
  const answer = await store.transact({ kind: "fund", ...order, id, reads });
  if (answer.kind === "refused") throw answer.fault;
  if (answer.kind !== "funded") throw misanswered(answer);
  return answer.account;
}
