// The ledger's decisions as one pure function: rows and demands in, answers and rows to write out.
import type { Decision, Rows } from "../core/decision.ts";
import type { Answer, Demand } from "../core/demand.ts";
import { Fault } from "../core/faults/fault.ts";
import { admit } from "./admit.ts";
import { coversMoment } from "./allowance.ts";
import { Books } from "./books.ts";
import { resetBudgets } from "./limits/budget-reset.ts";
import { changeCheckout } from "./money/checkouts.ts";
import { applyClosing } from "./money/closing.ts";
import { fund } from "./money/movements.ts";
import { removeNotes } from "./noted.ts";
import { settle } from "./settle.ts";
import { settleForLine } from "./unread.ts";

/** The books of rows that a store keeps from batch to batch. */
const known = new WeakMap<Rows, Books>();
const makeBooks = (rows: Rows) => new Books(rows);

/**
 * Decides a batch in order: each demand sees the changes of those before it. Changes the rows in place, and takes that back
 * if it throws.
 */
export function decide(rows: Rows, demands: readonly Demand[]): Decision {
  const books = known.getOrInsertComputed(rows, makeBooks);
  const { batch } = books;
  const { nowMs } = rows;
  batch.begin();
  try {
    const answers: Answer[] = [];
    for (const demand of demands)
      answers.push(nowMs === null ? answer(books, demand) : answerAt(books, demand, nowMs));
    return batch.close(answers);
  } catch (error) {
    batch.takeBack();
    throw error;
  }
}

/** Decides at the store's own time. On another day than this node's, the day's rows would be missing. */
function answerAt(books: Books, demand: Demand, nowMs: number): Answer {
  if (demand.kind === "admit" && !coversMoment(nowMs, demand.reads, demand.quota)) return refuseClock();
  return answer(books, { ...demand, nowMs });
}

function answer(books: Books, demand: Demand): Answer {
  switch (demand.kind) {
    case "admit":
      return admit(books, demand);
    case "settle":
      return demand.isForLine === true ? settleForLine(books, demand) : settle(books, demand);
    case "unnote":
      return removeNotes(books, demand);
    case "fund":
      return fund(books, demand);
    case "close":
      return applyClosing(books, demand);
    case "checkout":
      return changeCheckout(books, demand);
    case "reset":
      return resetBudgets(books, demand);
  }
}

function refuseClock(): Answer {
  const message = "The gateway's clock and its store's are too far apart. Please try again shortly.";
  const fault = new Fault("store_unavailable", message, { retryAfterMs: 1000 });
  return { kind: "refused", fault, isUndecided: true };
}
