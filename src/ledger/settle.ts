// Settlement: what a request that has ended costs whom, and what it gives back.
import type { Answer, Settlement } from "../core/demand.ts";
import type { NanoUsd } from "../core/money.ts";
import type { Ended, RequestRecord, UsageSource } from "../core/record.ts";
import { type Hold, meterIdOf, type Place } from "../core/rows.ts";
import type { Books } from "./books.ts";
import { fillReply, freeReply } from "./replies.ts";

export function settle(books: Books, demand: Settlement): Answer {
  const { record, counted, sealedReply, nowMs: atMs } = demand;
  const hold = books.holds.get(record.id);
  if (hold === null) return settledBefore(books.requests.get(record.id), record.ended);
  const { usageSource, ended } = record;
  const produced = counted ? { costNanoUsd: record.costNanoUsd, sealedReply } : null;
  const { charged, writtenOff } = resolve(books, hold, { atMs, usageSource, ended, produced });
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

/** Without a hold there is nothing to settle any more: the row tells what it came to. */
function settledBefore(row: RequestRecord | null, ended: Ended): Answer {
  return {
    kind: "settled",
    chargedNanoUsd: row?.chargedNanoUsd ?? 0,
    holdNanoUsd: row?.holdNanoUsd ?? 0,
    writtenOffNanoUsd: 0,
    late: row?.ended === "lost" && ended !== "lost",
  };
}

export interface Resolution {
  readonly atMs: number;
  readonly usageSource: UsageSource;
  readonly ended: Ended;
  /** null: no provider produced anything. */
  readonly produced: { readonly costNanoUsd: NanoUsd; readonly sealedReply: string | null } | null;
}

export interface Resolved {
  readonly charged: NanoUsd;
  /** What it cost above the hold and the free balance. */
  readonly writtenOff: NanoUsd;
}

/** Takes a hold away: what was produced is paid for, the rest goes back to where it was taken from. */
export function resolve(books: Books, hold: Hold, resolution: Resolution): Resolved {
  const { produced, atMs } = resolution;
  books.holds.remove(hold);
  if (hold.replyId !== null) {
    if (produced) fillReply(books, hold, produced.sealedReply, atMs);
    else freeReply(books, hold);
  }
  if (!produced) putBack(books, hold.place);
  if (hold.place.kind !== "balance") return { charged: 0, writtenOff: 0 };
  return pay(books, hold, resolution);
}

/** Posts or voids the hold. Cost above it takes free balance; what that doesn't cover is written off. */
function pay(books: Books, hold: Hold, { atMs, usageSource, ended, produced }: Resolution): Resolved {
  const { accountId, keyId, id: requestId, nanoUsd: held } = hold;
  const due = produced?.costNanoUsd ?? 0;
  const posted = Math.min(due, held);
  const about = { atMs, requestId, usageSource, ended } as const;
  if (held > 0) {
    const legs = { heldNanoUsd: -held, balanceNanoUsd: held - posted, revenueNanoUsd: posted };
    books.move(accountId, legs, { ...about, kind: produced ? "post" : "void" });
  }
  const extra = Math.min(due - posted, books.account(accountId).balanceNanoUsd);
  const writtenOff = due - posted - extra;
  if (due > held) {
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

/** The throttle's slot goes back only while it is still the one that this request took. */
function putBack(books: Books, place: Place): void {
  switch (place.kind) {
    case "allowance": {
      const id = meterIdOf(place.owner, place.day);
      const meter = books.meters.get(id);
      if (meter) books.meters.put(id, { ...meter, used: Math.max(0, meter.used - 1) });
      return;
    }
    case "throttle": {
      const slot = books.slots.get(place.owner);
      if (slot?.taken?.by === place.taken.by)
        books.slots.put(place.owner, { ...slot, taken: place.previous });
      return;
    }
    case "unlimited":
    case "balance":
      return;
  }
}
