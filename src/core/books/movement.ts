// Money that moves without a request.
import type { AuditEntry } from "../audit/audit-log.ts";
import type { NanoUsd } from "../money/money.ts";
import type { Actor } from "../people/people.ts";

/** Kinds of entries whose `overrunNanoUsd` isn't written off: the account owes it, or has paid it. */
export const OWING_KINDS = ["refund", "dispute", "receivable"] as const;
/** Kinds of movements that no request causes. */
export const MOVEMENT_KINDS = ["topup", "adjustment", "payout", ...OWING_KINDS] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

export function isOwing(kind: string): boolean {
  return OWING_KINDS.some((one) => one === kind);
}

/** Money that moved without a request. Its id makes repeats harmless. */
export interface Movement {
  readonly accountId: string;
  readonly id: string;
  readonly atMs: number;
  readonly kind: MovementKind;
  /** The amount asked for. Negative if it was taken. */
  readonly nanoUsd: NanoUsd;
  /** The change of the balance: less than was asked for if the account owes the rest. */
  readonly balanceNanoUsd: NanoUsd;
  /** `2026-11`, the month of the account's statement. Null in rows from before statements. */
  readonly month: string | null;
  /** The number of its entry. Null in rows from before it was kept. */
  readonly seq: number | null;
  /** Null if nobody asked for it by hand. The name stands on record alone, where it can be erased. */
  readonly by: Pick<Actor, "kind" | "id"> | null;
}

/** Moves money to an account, or from it. Repeating it with the same id changes nothing. */
export interface Funding extends Pick<Movement, "accountId" | "id" | "nanoUsd" | "by"> {
  readonly kind: "fund";
  readonly movement: "topup" | "adjustment";
  readonly nowMs: number;
  /** The time zone of accounts without one of their own. */
  readonly timeZone: string;
  readonly note: string | null;
  /** Put on record if it moves money. Null if nobody asked for it by hand. */
  readonly entry: AuditEntry | null;
}

/** Closes an account, or opens it again. Repeating it changes nothing. */
export interface Closing extends Pick<Funding, "accountId" | "nowMs" | "timeZone" | "by" | "note" | "entry"> {
  readonly kind: "close";
  /** Null to open it again. */
  readonly payOut: boolean | null;
}
