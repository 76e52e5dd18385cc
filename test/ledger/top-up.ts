// Top-ups as tests order them.
import type { Account } from "../../src/core/keys/key.ts";
import type { Store } from "../../src/core/store.ts";
import { type FundOrder, fundAccount } from "../../src/ledger/money/fund.ts";

type TopUpOrder = Pick<FundOrder, "accountId" | "id" | "nanoUsd" | "note" | "nowMs" | "entry"> &
  Partial<FundOrder>;

/** Adds money to an account, once per id. */
export function topUp(store: Pick<Store, "transact">, order: TopUpOrder): Promise<Account> {
  return fundAccount(store, { movement: "topup", by: null, timeZone: "UTC", ...order });
}
