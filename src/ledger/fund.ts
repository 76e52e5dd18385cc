// Top-ups: money added to an account.
import type { Funding } from "../core/demand.ts";
import type { Account } from "../core/key.ts";
import type { Store } from "../core/store.ts";
import { makeAnswerError } from "./answers.ts";

/** Repeating the id for the same account repeats the same top-up. */
export type TopUpOrder = Omit<Funding, "kind" | "reads">;

/** Adds money to an account, once per id. Throws the Faults `not_found`, `invalid_value`, `idempotency_mismatch`. */
export async function topUp(store: Pick<Store, "transact">, order: TopUpOrder): Promise<Account> {
  const { accountId } = order;
  // A batch may span accounts and finds top-ups by id alone.
  const id = `${accountId} ${order.id}`;
  const none = { keyId: null, owners: [], days: [], requestId: null, replyId: null };
  const reads = { ...none, accountId, topUpId: id };
  const answer = await store.transact({ kind: "fund", ...order, id, reads });
  if (answer.kind === "refused") throw answer.fault;
  if (answer.kind !== "funded") throw makeAnswerError(answer);
  return answer.account;
}
