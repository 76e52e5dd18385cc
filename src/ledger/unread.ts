// Answers to lines of batches that have ended without them.
import type { Answer, Settlement, SettlementAnswer } from "../core/demand.ts";
import type { Store } from "../core/store.ts";
import { requireSettled } from "./answers.ts";
import type { Books } from "./books.ts";
import type { Outcome } from "./outcome.ts";
import { hasLostClaim } from "./replies.ts";
import { settle } from "./settle.ts";

/**
 * True for a paid answer to a line that has ended without it. A free one may be settled after its line's result was written, a
 * paid one never is.
 */
function isUnread(books: Books, { record }: Settlement): boolean {
  const hold = books.findHold(record.id);
  return hold !== null && hold.place.kind === "balance" && hasLostClaim(books, hold);
}

/** Decides the settlement of an answer to a line: nothing is settled if the line has ended without it. */
export function settleForLine(books: Books, demand: Settlement): Answer {
  return isUnread(books, demand) ? { kind: "unread" } : settle(books, demand);
}

/** Settles the answer to a line, or as an unread one if the line has ended without it. */
export function settleLine(
  store: Pick<Store, "transact">,
  demand: Settlement,
  makeUnread: () => Outcome,
  settleOther: (unread: Outcome) => Promise<SettlementAnswer>,
): Promise<SettlementAnswer> {
  return store
    .transact({ ...demand, isForLine: true })
    .then((answer) => (answer.kind === "unread" ? settleOther(makeUnread()) : requireSettled(answer)));
}
