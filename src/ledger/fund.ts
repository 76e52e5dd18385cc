// Top-ups: money added to an account.
import type { Account } from "../core/key.ts";
import type { NanoUsd } from "../core/money.ts";
import type { Store } from "../core/store.ts";
import { makeAnswerError } from "./ledger.ts";

export interface TopUpOrder {
  readonly accountId: string;
  /** Repeating the id for the same account repeats the same top-up. */
  readonly id: string;
  readonly nanoUsd: NanoUsd;
  readonly note: string | null;
  readonly nowMs: number;
}

/** Adds money to an account, once per id. Throws the Faults `not_found`, `invalid_value`, `idempotency_mismatch`. */
export async function topUp(store: Pick<Store, "transact">, order: TopUpOrder): Promise<Account> {
  const { accountId } = order;
  // A batch may span accounts and finds top-ups by id alone.
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
  if (answer.kind !== "funded") throw makeAnswerError(answer);
  return answer.account;
}
