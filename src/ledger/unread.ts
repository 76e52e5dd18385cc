// Answers to lines of batches that have ended without them.
import type { Answer, Settlement, SettlementAnswer } from "../core/demand.ts";
import type { Store } from "../core/store.ts";
import { requireSettled } from "./answers.ts";
import type { Books } from "./books.ts";
import { hasLostClaim } from "./replies.ts";

export const UNREAD: Answer = { kind: "unread" };

/**
 * True for a paid answer to a line that has ended without it. A free one may be settled after its line's result was written, a
 * paid one never is.
 */
export function isUnread(books: Books, { isForLine, record }: Settlement): boolean {
  if (isForLine !== true) return false;
  const hold = books.findHold(record.id);
  return hold !== null && hold.place.kind === "balance" && hasLostClaim(books, hold);
}

/** Settles the answer to a line, or does something else if the line has ended without it. */
export async function settleLine(
  store: Pick<Store, "transact">,
  demand: Settlement,
  orElse: () => Promise<SettlementAnswer>,
): Promise<SettlementAnswer> {
  const answer = await store.transact({ ...demand, isForLine: true });
  return answer.kind === "unread" ? orElse() : requireSettled(answer);
}
