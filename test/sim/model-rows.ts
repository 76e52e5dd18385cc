// The rows of the auditor's own ledger, and what an answer says in words that can be compared.
import type { Admission, Answer, Settlement } from "../../src/core/demand.ts";

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
  used: number;
  lastAtMs: number;
}
export interface ModelSlot {
  readonly atMs: number;
  readonly by: string;
}
export type ModelPlace =
  | { readonly kind: "allowance"; readonly owner: string; readonly day: string }
  | {
      readonly kind: "throttle";
      readonly owner: string;
      readonly taken: ModelSlot;
      readonly previous: ModelSlot | null;
    }
  | { readonly kind: "unlimited" }
  | { readonly kind: "balance" };
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
/** What a request came to. */
export interface ModelRow {
  readonly hold: ModelHold;
  readonly settlement: Settlement;
  /** By which node: another than the hold's resolves what the dead left. */
  readonly by: string;
  readonly charged: bigint;
  readonly writtenOff: bigint;
}

export function settledWords(charged: bigint, held: bigint, writtenOff: bigint, late: boolean): string {
  return `settled at ${charged} of ${held}, ${writtenOff} written off${late ? ", late" : ""}`;
}

export function placeWords(place: ModelPlace): string {
  if (place.kind === "allowance") return `allowance of ${place.owner} on ${place.day}`;
  if (place.kind === "throttle") return `throttle of ${place.owner} after ${place.previous?.by ?? "none"}`;
  return place.kind;
}

/** What an answer says, as far as the rules decide it. */
export function wordsOf(answer: Answer): string {
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
    case "refused":
      return `refused: ${answer.fault.code}`;
  }
}
