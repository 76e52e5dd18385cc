// The closing of accounts: their balance is paid out once no hold is open.
import { makeAuditEvent } from "../../core/audit/audit-log.ts";
import type { Closing } from "../../core/books/movement.ts";
import type { Answer, Settlement } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Hold } from "../../core/rows.ts";
import type { Books } from "../books.ts";
import { moveOn, settleDue } from "./movements.ts";

export function applyClosing(books: Books, demand: Closing): Answer {
  const { accountId, payOut, nowMs, note, entry } = demand;
  const account = books.findAccount(accountId);
  if (account === null) return refuse(new Fault("not_found", "There is no account with that id."));
  if ((payOut === null) === (account.closingAtMs === null)) return { kind: "funded", account };
  if (payOut === false && account.balanceNanoUsd + account.heldNanoUsd > 0) {
    const message = "The account has a balance. Send 'pay_out': true with a reason to pay it out.";
    return refuse(new Fault("balance_left", message, { param: "pay_out" }));
  }
  if (entry !== null) {
    books.addEvent(makeAuditEvent({ ...entry, accountId, target: { ...entry.target, name: account.name } }));
  }
  if (payOut === null) books.changeState(accountId, { closingAtMs: null, closedAtMs: null });
  else {
    books.changeState(accountId, { closingAtMs: nowMs });
    finishClosing(books, accountId, { nowMs, timeZone: demand.timeZone, by: demand.by, note });
  }
  return { kind: "funded", account: books.account(accountId) };
}

function refuse(fault: Fault): Answer {
  return { kind: "refused", fault };
}

/** The free part of a released hold first settles a debt of the account, and is paid out if the account is closing. */
export function followRelease(books: Books, { accountId, id: requestId }: Hold, demand: Settlement): void {
  const { receivableNanoUsd, closingAtMs } = books.account(accountId);
  if (receivableNanoUsd === 0 && closingAtMs === null) return;
  const about = { nowMs: demand.nowMs, timeZone: demand.quota.timeZone };
  settleDue(books, accountId, { ...about, requestId });
  finishClosing(books, accountId, about);
}

/** Pays out a closing account once nothing of it is held. */
function finishClosing(
  books: Books,
  accountId: string,
  about: Pick<Closing, "nowMs" | "timeZone"> & Partial<Pick<Closing, "by" | "note">>,
): void {
  const { closingAtMs, closedAtMs, heldNanoUsd, balanceNanoUsd } = books.account(accountId);
  if (closingAtMs === null || closedAtMs !== null || heldNanoUsd > 0) return;
  if (balanceNanoUsd > 0) {
    moveOn(books, accountId, {
      kind: "payout",
      nanoUsd: -balanceNanoUsd,
      balanceNanoUsd: -balanceNanoUsd,
      ...about,
    });
  }
  books.changeState(accountId, { closedAtMs: about.nowMs });
}
