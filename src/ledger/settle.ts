// Settlement: what a finished request costs, who pays, and what is returned.
import type { Answer, Settlement } from "../core/demand.ts";
import type { NanoUsd } from "../core/money.ts";
import type { RequestRecord } from "../core/record.ts";
import type { Hold } from "../core/rows.ts";
import type { Books } from "./books.ts";
import { returnPlaces, settleFreeBudget } from "./places.ts";
import { fillReply, freeReply } from "./replies.ts";

export function settle(books: Books, demand: Settlement): Answer {
  const { produced, giveBack, sealedReply, nowMs: atMs } = demand;
  const hold = books.holds.get(demand.record.id);
  if (hold === null) return settleUnheld(books, demand);
  releaseHold(books, hold, produced ? { sealedReply, atMs } : null);
  const isBeyond = !returnPlaces(books, hold, giveBack) && giveBack.beyond !== null;
  const record = (isBeyond ? giveBack.beyond : null) ?? demand.record;
  const { usageSource, ended, costNanoUsd } = record;
  const dueNanoUsd = isBeyond || demand.isDue ? costNanoUsd : 0;
  settleFreeBudget(books, hold.place, dueNanoUsd);
  const mayPay = hold.place.kind === "balance" || (hold.place.kind === "unlimited" && isBeyond);
  const about = { atMs, usageSource, ended };
  const { charged, writtenOff } = mayPay ? pay(books, hold, dueNanoUsd, about) : NOTHING_PAID;
  const row: RequestRecord = { ...record, chargedNanoUsd: charged, holdNanoUsd: hold.nanoUsd };
  books.requests.put(row.id, row);
  books.addUsage(row);
  return {
    kind: "settled",
    chargedNanoUsd: charged,
    holdNanoUsd: hold.nanoUsd,
    writtenOffNanoUsd: writtenOff,
    late: false,
  };
}

/** Without a hold the request is settled already, or was never admitted. Returns the outcome in its row. */
function settleUnheld(books: Books, { record, isUnadmitted = false }: Settlement): Answer {
  const { ended } = record;
  const row = books.requests.get(record.id);
  if (isUnadmitted && row === null) {
    const unpaid: RequestRecord = { ...record, chargedNanoUsd: 0, holdNanoUsd: 0 };
    books.requests.put(unpaid.id, unpaid);
    books.addUsage(unpaid);
  }
  return {
    kind: "settled",
    chargedNanoUsd: row?.chargedNanoUsd ?? 0,
    holdNanoUsd: row?.holdNanoUsd ?? 0,
    writtenOffNanoUsd: 0,
    late: row?.ended === "lost" && ended !== "lost",
  };
}

/** Removes a hold as if its request had never been admitted. */
export function undoHold(books: Books, hold: Hold, atMs: number): void {
  const { places, slots } = hold.place;
  releaseHold(books, hold, null);
  returnPlaces(books, hold, { answers: places + slots, isBounded: false, beyond: null });
  settleFreeBudget(books, hold.place, 0);
  if (hold.place.kind === "balance") pay(books, hold, 0, { atMs, usageSource: "none", ended: "lost" });
}

/** `kept` is null if no provider produced anything: the Idempotency-Key is free for a retry. */
function releaseHold(
  books: Books,
  hold: Hold,
  kept: { readonly sealedReply: string | null; readonly atMs: number } | null,
): void {
  books.holds.remove(hold);
  if (hold.replyId === null) return;
  if (kept) fillReply(books, hold, kept.sealedReply, kept.atMs);
  else freeReply(books, hold);
}

interface Paid {
  readonly charged: NanoUsd;
  /** The part of the cost that neither the hold nor the free balance covered. */
  readonly writtenOff: NanoUsd;
}
const NOTHING_PAID: Paid = { charged: 0, writtenOff: 0 };

type PaymentNotes = Pick<RequestRecord, "atMs" | "usageSource" | "ended">;

/** Posts or voids the hold. Cost above it is taken from the free balance; the rest is written off. */
function pay(books: Books, hold: Hold, dueNanoUsd: NanoUsd, notes: PaymentNotes): Paid {
  const { accountId, keyId, id: requestId, nanoUsd: held } = hold;
  const posted = Math.min(dueNanoUsd, held);
  const about = { ...notes, requestId } as const;
  if (held > 0) {
    const legs = { heldNanoUsd: -held, balanceNanoUsd: held - posted, revenueNanoUsd: posted };
    books.move(accountId, legs, { ...about, kind: posted > 0 ? "post" : "void" });
  }
  const extra = Math.min(dueNanoUsd - posted, books.account(accountId).balanceNanoUsd);
  // For an unlimited key nothing was held, so at most the balance is charged and nothing is written off.
  const writtenOff = hold.place.kind === "balance" ? dueNanoUsd - posted - extra : 0;
  if (extra + writtenOff > 0) {
    const legs = {
      balanceNanoUsd: -extra,
      overrunNanoUsd: -writtenOff,
      revenueNanoUsd: extra + writtenOff,
    };
    books.move(accountId, legs, { ...about, kind: "overrun" });
  }
  const charged = posted + extra;
  const spend = books.spend(accountId, keyId);
  const spentNanoUsd = spend.spentNanoUsd + charged;
  books.spends.put(keyId, { ...spend, spentNanoUsd, heldNanoUsd: spend.heldNanoUsd - held });
  return { charged, writtenOff };
}
