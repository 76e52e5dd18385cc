// Money orders: top-ups, adjustments and closings of an account, each made once.
import type { Closing, Funding } from "../../core/books/movement.ts";
import type { Demand } from "../../core/demand.ts";
import type { Account } from "../../core/keys/key.ts";
import type { Store } from "../../core/store.ts";
import { makeAnswerError } from "../answers.ts";

/** Repeating the id for the same account repeats the same movement. */
export type FundOrder = Omit<Funding, "kind">;
export type CloseOrder = Omit<Closing, "kind">;

type FundStore = Pick<Store, "transact">;

/**
 * Moves money to an account, or from it, once per id. Throws the Faults `not_found`, `invalid_value`,
 * `idempotency_mismatch`, `account_closed`, `balance_too_low`.
 */
export function fundAccount(store: FundStore, order: FundOrder): Promise<Account> {
  // A batch may span accounts and finds movements by id alone.
  const id = `${order.accountId} ${order.id}`;
  return transact(store, { kind: "fund", ...order, id, reads: makeReads(order.accountId, id) });
}

/** An account that is closed already, or open, stays so. Throws the Faults `not_found`, `balance_left`. */
export function closeAccount(store: FundStore, order: CloseOrder): Promise<Account> {
  return transact(store, { kind: "close", ...order, reads: makeReads(order.accountId, null) });
}

function makeReads(accountId: string, movementId: string | null): Demand["reads"] {
  return { accountId, keyId: null, owners: [], days: [], requestId: null, replyId: null, movementId };
}

async function transact(store: FundStore, demand: Demand): Promise<Account> {
  const answer = await store.transact(demand);
  if (answer.kind === "refused") throw answer.fault;
  if (answer.kind !== "funded") throw makeAnswerError(answer);
  return answer.account;
}
