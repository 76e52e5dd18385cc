// Money that moves without a request: top-ups and adjustments, and what an account owes.
import { makeAuditEvent } from "../../core/audit/audit-log.ts";
import type { Funding, Movement } from "../../core/books/movement.ts";
import type { Answer } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
import { type Account, refuseClosed } from "../../core/keys/key.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import type { Books } from "../books.ts";
import { computeMonth } from "./month.ts";

/** About nine million dollars: a larger balance could not be represented exactly. */
const BALANCE_MAX = Number.MAX_SAFE_INTEGER;

export function fund(books: Books, demand: Funding): Answer {
  const { accountId, id, nanoUsd, movement, entry } = demand;
  const account = books.findAccount(accountId);
  if (account === null) return refuse("not_found", "There is no account with that id.");
  const made = books.movements.get(id);
  if (made) {
    if (made.nanoUsd === nanoUsd && made.kind === movement) return { kind: "funded", account };
    const message = "This Idempotency-Key was already used for another amount or another kind of movement.";
    return refuse("idempotency_mismatch", message, "Idempotency-Key");
  }
  const refusal = nanoUsd > 0 ? refuseCredit(account, demand) : refuseDebit(account, demand);
  if (refusal !== null) return { kind: "refused", fault: refusal };
  if (entry !== null) {
    books.addEvent(makeAuditEvent({ ...entry, accountId, target: { ...entry.target, name: account.name } }));
  }
  move(books, { ...demand, kind: movement, balanceNanoUsd: nanoUsd });
  if (nanoUsd > 0) settleDue(books, accountId, demand);
  return { kind: "funded", account: books.account(accountId) };
}

function refuse(code: Fault["code"], message: string, param?: string): Answer {
  return { kind: "refused", fault: new Fault(code, message, param === undefined ? {} : { param }) };
}

function refuseCredit(account: Account, { nanoUsd }: Funding): Fault | null {
  return refuseExcess(account, nanoUsd) ?? refuseClosed(account);
}

/** Returns the Fault for a credit after which the balance would be too large. Null if it wouldn't. */
export function refuseExcess(account: Account, nanoUsd: NanoUsd): Fault | null {
  if (account.balanceNanoUsd + account.heldNanoUsd + nanoUsd <= BALANCE_MAX) return null;
  const message = "Invalid 'amount_usd': the balance would be more than nine million USD.";
  return new Fault("invalid_value", message, { param: "amount_usd" });
}

/** A closed account may be debited: money that came late is paid out by hand. */
function refuseDebit({ balanceNanoUsd }: Account, { nanoUsd }: Funding): Fault | null {
  if (balanceNanoUsd + nanoUsd >= 0) return null;
  const message = "The account's free balance is less than what would be taken from it.";
  return new Fault("balance_too_low", message, { param: "amount_usd" });
}

interface MovementEntry extends Omit<Movement, "atMs" | "month" | "seq"> {
  readonly nowMs: number;
  readonly timeZone: string;
  readonly note: string | null;
  /** The completion whose settlement caused it. */
  readonly requestId?: string | null;
}

/** Adds an entry and the row that a statement is made of. The account owes the part that its balance doesn't bear. */
export function move(books: Books, moved: MovementEntry): void {
  const { accountId, id, kind, nanoUsd, balanceNanoUsd, by, nowMs: atMs, note, requestId = null } = moved;
  const dueNanoUsd = balanceNanoUsd - nanoUsd;
  const legs = { balanceNanoUsd, fundingNanoUsd: 0 - nanoUsd, overrunNanoUsd: 0 - dueNanoUsd };
  const account = books.move(accountId, legs, { kind, atMs, note, requestId });
  const month = computeMonth(atMs, account.timeZone ?? moved.timeZone);
  books.movements.put(id, {
    accountId,
    id,
    atMs,
    kind,
    nanoUsd,
    balanceNanoUsd,
    month,
    by,
    seq: account.entries,
  });
  if (dueNanoUsd !== 0) {
    books.changeState(accountId, { receivableNanoUsd: account.receivableNanoUsd + dueNanoUsd });
  }
}

/** A movement that follows from another, which has no id of its own. */
type FollowingEntry = Pick<MovementEntry, "nowMs" | "timeZone"> &
  Partial<Pick<MovementEntry, "by" | "note" | "requestId">>;

/** Moves what the gateway decides by itself, under the number of its entry. */
export function moveOn(
  books: Books,
  accountId: string,
  moved: Pick<MovementEntry, "kind" | "nanoUsd" | "balanceNanoUsd"> & FollowingEntry,
): void {
  const id = `${accountId} ${moved.kind} ${books.account(accountId).entries + 1}`;
  move(books, { by: null, note: null, ...moved, accountId, id });
}

/** Settles what an account owes with what is free of its balance. A pause for it ends with the last of it. */
export function settleDue(books: Books, accountId: string, about: FollowingEntry): void {
  const { receivableNanoUsd, balanceNanoUsd } = books.account(accountId);
  const paid: NanoUsd = Math.min(receivableNanoUsd, balanceNanoUsd);
  if (paid === 0) return;
  const { nowMs, timeZone, requestId = null } = about;
  moveOn(books, accountId, {
    kind: "receivable",
    nanoUsd: 0,
    balanceNanoUsd: -paid,
    nowMs,
    timeZone,
    requestId,
  });
  if (paid < receivableNanoUsd) return;
  const { pausedBy, isPaused } = books.account(accountId);
  const left = pausedBy.filter((reason) => reason !== "dispute");
  if (left.length < pausedBy.length) {
    books.changeState(accountId, { pausedBy: left, isPaused: isPaused && left.length > 0 });
  }
}
