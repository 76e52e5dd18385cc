// The ledger's decisions as one pure function: rows and demands in, answers and rows to write out.

import type { Answer, Demand } from "../../../src/core/demand.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import { admit } from "./admit.ts";
import { coversMoment } from "./allowance.ts";
import { Books } from "./books.ts";
import type { Decision, Rows } from "./decision.ts";
import { resetBudgets } from "./limits/budget-reset.ts";
import { changeCheckout } from "./money/checkouts.ts";
import { close } from "./money/closing.ts";
import { fund } from "./money/movements.ts";
import { settle } from "./settle.ts";

/** Decides a batch in order: each demand sees the changes of those before it. */
export function decide(rows: Rows, demands: readonly Demand[]): Decision {
  const books = new Books(rows);
  const { nowMs } = rows;
  return books.close(
    demands.map((demand) => (nowMs === null ? answer(books, demand) : answerAt(books, demand, nowMs))),
  );
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
      return settle(books, demand);
    case "unnote":
      throw new Error("Version 1.2 noted no requests.");
    case "fund":
      return fund(books, demand);
    case "close":
      return close(books, demand);
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
