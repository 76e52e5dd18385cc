// Settlement: what a finished request costs, who pays, and what is returned.
import type { Admission, Settlement, SettlementAnswer } from "../core/demand.ts";
import type { RequestRecord, UnsettledRecord } from "../core/log/record.ts";
import type { NanoUsd } from "../core/money/money.ts";
import type { Hold } from "../core/rows.ts";
import type { Books } from "./books.ts";
import { settleLimits, settleLimitsLate, undoLimits } from "./limits/limit-settle.ts";
import { followRelease } from "./money/closing.ts";
import { computeMonth } from "./money/month.ts";
import { findOpen, removeNote } from "./noted.ts";
import { addFreeCost, returnPlaces, settleFreeBudget } from "./places.ts";
import { fillReply, freeReply, keepLateReply } from "./replies.ts";

/** The note on the void of a hold whose COMMIT got no answer: the request was admitted again, or not at all. */
export const COMMIT_UNKNOWN = "commit unknown";

type SettledAnswer = SettlementAnswer & { readonly kind: "settled" };

export function settle(books: Books, demand: Settlement): SettledAnswer {
  const { produced, giveBack, sealedReply, nowMs: atMs, place = null, reads } = demand;
  const { id } = demand.record;
  const hold = books.findHold(id) ?? findOpen(books, demand, id, place);
  if (hold === null) return settleWithoutHold(books, demand);
  const kept = produced && hold.replyId !== null ? { sealedReply, atMs } : null;
  releaseHold(books, hold, kept);
  // Usually its note goes with the next admission: the meter needn't be written for it.
  if (reads.isNew !== "noted") removeNote(books, reads, id);
  const isBeyond = !returnPlaces(books, hold, giveBack) && giveBack.beyond !== null;
  const record = nameMember(books, (isBeyond ? giveBack.beyond : null) ?? demand.record);
  const { usageSource, ended, costNanoUsd } = record;
  const dueNanoUsd = isBeyond || demand.isDue ? costNanoUsd : 0;
  settleFreeBudget(books, hold, dueNanoUsd);
  settleLimits(books, hold, demand, { record, ...findCounted(demand, dueNanoUsd) });
  const mayPay = hold.place.kind === "balance" || (hold.place.kind === "unlimited" && isBeyond);
  const { charged, writtenOff } = mayPay
    ? pay(books, hold, findDue(demand, dueNanoUsd), { atMs, usageSource, ended, note: demand.note })
    : NOTHING_PAID;
  followRelease(books, hold, demand);
  const row: RequestRecord = { ...record, chargedNanoUsd: charged, holdNanoUsd: hold.nanoUsd, isLate: false };
  books.requests.put(row.id, row);
  books.addUsage(row, findMonth(books, demand));
  books.addCalls(record);
  return {
    kind: "settled",
    chargedNanoUsd: charged,
    holdNanoUsd: hold.nanoUsd,
    writtenOffNanoUsd: writtenOff,
    late: false,
  };
}

/** Returns the cost that budgets count, and a hook's model if it is that model's. */
function findCounted({ hookCost }: Settlement, dueNanoUsd: NanoUsd) {
  if (hookCost === undefined || hookCost.nanoUsd <= dueNanoUsd) return { costNanoUsd: dueNanoUsd };
  return { costNanoUsd: hookCost.nanoUsd, model: hookCost.model };
}

/** Returns the month whose statement has it. */
function findMonth(books: Books, { accountId, nowMs, quota }: Settlement): string {
  return computeMonth(nowMs, books.account(accountId).timeZone ?? quota.timeZone);
}

/** The record of a request whose node died doesn't say whose key it was. */
function nameMember(books: Books, record: UnsettledRecord): UnsettledRecord {
  const memberId = books.keys.get(record.keyId)?.memberId ?? record.memberId;
  return memberId === record.memberId ? record : { ...record, memberId };
}

/**
 * Without a hold the request is settled already, and its row has the outcome, or it was never admitted. Another process
 * may have given it up as lost, though: then this settlement knows better, and its row replaces that one.
 */
function settleWithoutHold(books: Books, demand: Settlement): SettledAnswer {
  const { id } = demand.record;
  const row = books.findRequest(id);
  removeNote(books, demand.reads, id);
  if (row?.ended === "lost" && demand.record.ended !== "lost") return settleLate(books, demand, row);
  return {
    kind: "settled",
    chargedNanoUsd: row?.chargedNanoUsd ?? 0,
    holdNanoUsd: row?.holdNanoUsd ?? 0,
    writtenOffNanoUsd: 0,
    late: false,
  };
}

/**
 * The hold and the places were returned when the request was given up, and stay so. If another completion has taken the
 * Idempotency-Key since, the client pays for that one only. A line that was given up runs again or has ended: nothing is kept
 * of this answer, nor charged.
 */
function settleLate(books: Books, demand: Settlement, lost: RequestRecord): SettledAnswer {
  const { record, isDue, place } = demand;
  const { holdNanoUsd } = lost;
  const dueNanoUsd = isDue ? record.costNanoUsd : 0;
  const isRepeated = record.batchId !== null || !keepLateReply(books, demand);
  if (place) addFreeCost(books, record.accountId, place, dueNanoUsd);
  settleLimitsLate(books, demand, dueNanoUsd);
  const { charged, writtenOff } = holdNanoUsd > 0 ? payLate(books, demand, isRepeated) : NOTHING_PAID;
  const row: RequestRecord = { ...record, chargedNanoUsd: charged, holdNanoUsd, isLate: true };
  books.requests.put(row.id, row);
  const month = findMonth(books, demand);
  books.addUsage(lost, month, -1);
  books.addUsage(row, month);
  // A lost row has no calls to take back.
  books.addCalls(record);
  return { kind: "settled", chargedNanoUsd: charged, holdNanoUsd, writtenOffNanoUsd: writtenOff, late: true };
}

/** Takes what is due from the free balance, or nothing if the answer is given for free. The rest is written off. */
function payLate(books: Books, demand: Settlement, isFree: boolean): PaidSums {
  const { record, isDue, nowMs: atMs } = demand;
  const { accountId, keyId, id: requestId, usageSource, ended } = record;
  const dueNanoUsd = isDue ? record.costNanoUsd : 0;
  const { mostNanoUsd } = findDue(demand, dueNanoUsd);
  const charged = isFree ? 0 : Math.min(mostNanoUsd, books.account(accountId).balanceNanoUsd);
  const about = { atMs, usageSource, ended, requestId, note: isFree ? LATE_REPEATED : LATE };
  moveOverrun(books, accountId, charged, dueNanoUsd - charged, about);
  const spend = books.spend(accountId, keyId);
  books.putSpend({ ...spend, spentNanoUsd: spend.spentNanoUsd + charged });
  return { charged, writtenOff: dueNanoUsd - charged };
}

const LATE = "settled late";
const LATE_REPEATED = "settled late; the same Idempotency-Key was answered again";

/** Removes a hold as if its request had never been admitted. */
export function undoHold(books: Books, hold: Hold, { reads, nowMs: atMs }: Admission): void {
  const { places, slots } = hold.place;
  releaseHold(books, hold, null);
  removeNote(books, reads, hold.id);
  returnPlaces(books, hold, { answers: places + slots, isBounded: false, beyond: null });
  settleFreeBudget(books, hold, 0);
  undoLimits(books, hold, atMs);
  if (hold.place.kind !== "balance") return;
  pay(books, hold, NOTHING_DUE, { atMs, usageSource: "none", ended: "lost", note: COMMIT_UNKNOWN });
}

/** `kept` is null if no provider produced anything: the Idempotency-Key is free for a retry. */
function releaseHold(
  books: Books,
  hold: Hold,
  kept: { readonly sealedReply: string | null; readonly atMs: number } | null,
): void {
  books.removeHold(hold);
  if (hold.replyId === null) return;
  if (kept) fillReply(books, hold, kept.sealedReply, kept.atMs);
  else freeReply(books, hold);
}

interface Due {
  readonly dueNanoUsd: NanoUsd;
  /** The most of it that the client pays. */
  readonly mostNanoUsd: NanoUsd;
}
const NOTHING_DUE: Due = { dueNanoUsd: 0, mostNanoUsd: 0 };

/** A provider may report more than the worst case that was held: the client's ceiling counts all the same. */
function findDue({ ceilingNanoUsd }: Settlement, dueNanoUsd: NanoUsd): Due {
  return { dueNanoUsd, mostNanoUsd: Math.min(dueNanoUsd, ceilingNanoUsd ?? dueNanoUsd) };
}

interface PaidSums {
  readonly charged: NanoUsd;
  /** The part of the cost that neither the hold nor the free balance covered, or that is above the request's ceiling. */
  readonly writtenOff: NanoUsd;
}
const NOTHING_PAID: PaidSums = { charged: 0, writtenOff: 0 };

type PaymentNotes = Pick<RequestRecord, "atMs" | "usageSource" | "ended"> & Pick<Settlement, "note">;

/** Posts or voids the hold. Cost above it is taken from the free balance; the rest is written off. */
function pay(books: Books, hold: Hold, { dueNanoUsd, mostNanoUsd }: Due, notes: PaymentNotes): PaidSums {
  const { accountId, keyId, id: requestId, nanoUsd: held } = hold;
  const posted = Math.min(mostNanoUsd, held);
  const about = { ...notes, requestId } as const;
  if (held > 0) {
    const legs = { heldNanoUsd: -held, balanceNanoUsd: held - posted, revenueNanoUsd: posted };
    books.move(accountId, legs, { ...about, kind: posted > 0 ? "post" : "void" });
  }
  const extra = Math.min(mostNanoUsd - posted, books.account(accountId).balanceNanoUsd);
  // For an unlimited key nothing was held, so at most the balance is charged and nothing is written off.
  const writtenOff = hold.place.kind === "balance" ? dueNanoUsd - posted - extra : 0;
  moveOverrun(books, accountId, extra, writtenOff, about);
  const charged = posted + extra;
  const spend = books.spend(accountId, keyId);
  const spentNanoUsd = spend.spentNanoUsd + charged;
  books.putSpend({ ...spend, spentNanoUsd, heldNanoUsd: spend.heldNanoUsd - held });
  return { charged, writtenOff };
}

/** Charges what no hold covers to the free balance, and writes off the rest. */
function moveOverrun(
  books: Books,
  accountId: string,
  extra: NanoUsd,
  writtenOff: NanoUsd,
  about: PaymentNotes & { readonly requestId: string },
): void {
  if (extra + writtenOff === 0) return;
  const legs = { balanceNanoUsd: -extra, overrunNanoUsd: -writtenOff, revenueNanoUsd: extra + writtenOff };
  books.move(accountId, legs, { ...about, kind: "overrun" });
}
