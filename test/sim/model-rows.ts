// The rows of the auditor's own ledger, and a comparable text form of its answers.
import type { Admission, Answer, Settlement } from "../../src/core/demand.ts";
import type { Place } from "../../src/core/rows.ts";

export interface ModelAccount {
  balance: bigint;
  held: bigint;
  funded: bigint;
  writtenOff: bigint;
  revenue: bigint;
}
export interface ModelSpend {
  spent: bigint;
  held: bigint;
}
export interface ModelMeter {
  readonly used: number;
  readonly lastAtMs: number;
  readonly givenBack: number;
  /** Spent from the day's budget for free requests. */
  readonly freeSpent: bigint;
  readonly freeHeld: bigint;
}
export interface ModelSlot {
  readonly atMs: number;
  readonly by: string;
}
export interface ModelPlace {
  readonly kind: "allowance" | "throttle" | "unlimited" | "balance";
  readonly owner: string;
  readonly day: string;
  /** Counted against the allowance and the throttle. */
  readonly places: number;
  readonly slots: number;
  readonly taken: ModelSlot | null;
  readonly previous: ModelSlot | null;
  readonly giveBackMax: number;
  /** Null if no budget bounds it. */
  readonly free: bigint | null;
}
export interface ModelHold {
  readonly node: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly place: ModelPlace;
  readonly nano: bigint;
  readonly replyId: string | null;
  readonly admission: Admission;
}
export interface ModelReply {
  readonly requestId: string;
  readonly bodyDigest: string;
  readonly atMs: number;
  readonly state: "pending" | "kept" | "unavailable";
}
/** The outcome of a request. */
export interface ModelRow {
  readonly hold: ModelHold;
  readonly settlement: Settlement;
  /** True if the row's cost is owed. */
  readonly isOwed: boolean;
  /** The node that settles the request: another one if the node that made the hold died. */
  readonly by: string;
  readonly charged: bigint;
  readonly writtenOff: bigint;
  /** True if it had been given up as lost before. */
  readonly isLate: boolean;
}

export function settledWords(charged: bigint, held: bigint, writtenOff: bigint, late: boolean): string {
  return `settled at ${charged} of ${held}, ${writtenOff} written off${late ? ", late" : ""}`;
}

export function placeWords(place: ModelPlace | Place): string {
  const { kind, owner, day, places, slots, taken, previous } = place;
  const free = "free" in place ? place.free : place.freeNanoUsd;
  const at = taken ? `${taken.atMs} after ${previous?.by ?? "none"}` : "none";
  return `${kind} of ${owner} on ${day}: ${places} places, ${slots} slots (${at}), ${free ?? "no"} of the budget`;
}

/** The part of an answer that the rules determine. */
export function describeAnswer(answer: Answer): string {
  switch (answer.kind) {
    case "granted":
      return `granted ${placeWords(answer.place)} ${answer.holdNanoUsd}`;
    case "replayed":
      return "replayed";
    case "pending":
      return `pending ${answer.id}`;
    case "settled":
      return settledWords(
        BigInt(answer.chargedNanoUsd),
        BigInt(answer.holdNanoUsd),
        BigInt(answer.writtenOffNanoUsd),
        answer.late,
      );
    case "funded":
      return `funded to ${answer.account.balanceNanoUsd}`;
    case "checkout":
      return `${answer.checkout.state} at ${answer.account.balanceNanoUsd}`;
    case "lacking":
      return "lacking";
    case "unread":
      return "unread";
    case "unnoted":
      return "unnoted";
    case "moved":
      return `moved to ${answer.accountId}`;
    case "reset":
      return `reset ${answer.budgets.join(", ")}`;
    case "refused":
      return `refused: ${answer.fault.code}`;
  }
}
