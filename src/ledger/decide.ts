// The ledger's decisions as one pure function: rows and demands in, answers and rows to write out.
import { makeAuditEvent } from "../core/audit-log.ts";
import type { Answer, Decision, Demand, Funding, Rows } from "../core/demand.ts";
import { Fault } from "../core/fault.ts";
import { admit } from "./admit.ts";
import { coversMoment } from "./allowance.ts";
import { Books } from "./books.ts";
import { resetBudgets } from "./budget-reset.ts";
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
    case "fund":
      return fund(books, demand);
    case "reset":
      return resetBudgets(books, demand);
  }
}

function refuseClock(): Answer {
  const message = "The gateway's clock and its store's are too far apart. Please try again shortly.";
  return { kind: "refused", fault: new Fault("store_unavailable", message, { retryAfterMs: 1000 }) };
}

/** About nine million dollars: a larger balance could not be represented exactly. */
const BALANCE_MAX = Number.MAX_SAFE_INTEGER;

function fund(books: Books, { accountId, id, nowMs: atMs, nanoUsd, note, entry }: Funding): Answer {
  const account = books.accounts.get(accountId);
  if (account === null)
    return { kind: "refused", fault: new Fault("not_found", "There is no account with that id.") };
  const made = books.topUps.get(id);
  if (made) {
    if (made.nanoUsd === nanoUsd) return { kind: "funded", account };
    const message = "This Idempotency-Key was already used for a top-up of a different amount.";
    const fault = new Fault("idempotency_mismatch", message, { param: "Idempotency-Key" });
    return { kind: "refused", fault };
  }
  if (account.balanceNanoUsd + account.heldNanoUsd + nanoUsd > BALANCE_MAX) {
    const message = "Invalid 'amount_usd': the balance would be more than nine million USD.";
    return { kind: "refused", fault: new Fault("invalid_value", message, { param: "amount_usd" }) };
  }
  if (entry !== null) {
    books.addEvent(makeAuditEvent({ ...entry, accountId, target: { ...entry.target, name: account.name } }));
  }
  books.topUps.put(id, { accountId, id, atMs, nanoUsd });
  const legs = { balanceNanoUsd: nanoUsd, fundingNanoUsd: -nanoUsd };
  const about = { kind: "topup", atMs, requestId: null, note } as const;
  return { kind: "funded", account: books.move(accountId, legs, about) };
}
