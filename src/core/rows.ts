// The rows on which admission and settlement are decided, common to all store engines.
import type { CREDENTIAL_FIELDS } from "./fields/credential.ts";
import type { ValuesOf } from "./fields/field.ts";
import type { BudgetUse, LimitUse, Minute } from "./limits/limit.ts";
import type { RequestHead } from "./log/record.ts";
import type { NanoUsd } from "./money/money.ts";

/** One day of an owner, which is a key, a member or an account. */
export interface Meter {
  readonly accountId: string;
  readonly owner: string;
  /** `2026-11-20`, the date on which the day began in the operator's time zone. */
  readonly day: string;
  /** Places of the allowance in use. */
  readonly used: number;
  /** The time at which the last of them was taken, in Unix milliseconds. */
  readonly lastAtMs: number;
  /** Answers given back or not charged although a provider had received the request. */
  readonly givenBack: number;
  /** The cost of the day's free requests that have ended. `freeHeldNanoUsd` is the most that running ones may cost. */
  readonly freeSpentNanoUsd: NanoUsd;
  readonly freeHeldNanoUsd: NanoUsd;
  /** Requests that hold nothing but their places here. Null for none. */
  readonly noted: readonly NotedRequest[] | null;
}

/**
 * An admitted request without a hold. It is open until its row is written, so it may be noted for some time after its end. The
 * rest that a hold says of a request is known to its node alone.
 */
export interface NotedRequest extends Pick<Hold, "id" | "node" | "atMs" | "operation" | "surface"> {
  /** Null if the meter's owner is its key. */
  readonly keyId: string | null;
  readonly places: number;
}

export interface SlotTaken {
  readonly atMs: number;
  /** The request that took it. */
  readonly by: string;
}

/** The state of an owner: its throttle, its last minute and its budgets. */
export interface OwnerState {
  readonly accountId: string;
  readonly owner: string;
  /** The last throttle slot. Null if there is none or it was given back. */
  readonly taken: SlotTaken | null;
  /** Null until a limit of a minute counts something. */
  readonly minute: Minute | null;
  /** Null until a budget counts something. */
  readonly budgets: readonly BudgetUse[] | null;
}

export function makeOwnerState(accountId: string, owner: string): OwnerState {
  return { accountId, owner, taken: null, minute: null, budgets: null };
}

export const PLACE_KINDS = ["allowance", "throttle", "unlimited", "balance"] as const;

/** The terms on which a request was admitted, with everything needed to give its places back. */
export interface Place {
  readonly kind: (typeof PLACE_KINDS)[number];
  /** The owner and day of the meter that counts it. */
  readonly owner: string;
  readonly day: string;
  /** Places taken of the day's allowance, at most one per answer. */
  readonly places: number;
  /** Slots taken of the throttle, `everyMs` apart. `taken` is the last one, null if there are none. */
  readonly slots: number;
  readonly everyMs: number;
  readonly taken: SlotTaken | null;
  /** The slot taken before. */
  readonly previous: SlotTaken | null;
  /** The most answers per day that may be given back to the owner. */
  readonly giveBackMax: number;
  /** The hold on the owner's daily bound for free requests. Null if there is no bound. */
  readonly freeNanoUsd: NanoUsd | null;
  /** Its shares of limits and budgets, by owner. Missing if there were none. */
  readonly uses?: readonly LimitUse[];
}

/**
 * An admitted request that is not settled yet. Settling deletes the row, so it happens once. It holds everything that
 * the request's own row needs if its node dies.
 */
export interface Hold extends RequestHead {
  /** The completion's id. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Identifies the process, in one run, that is responsible for the request. */
  readonly node: string;
  readonly atMs: number;
  readonly place: Place;
  /** The most that the request may cost. 0 unless the balance pays. */
  readonly nanoUsd: NanoUsd;
  /** The stored reply that this request will fill. Null without an Idempotency-Key. */
  readonly replyId: string | null;
}

/** A key's lifetime charges, and what its open requests hold. */
export interface Spend {
  readonly accountId: string;
  readonly keyId: string;
  readonly spentNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
}

/** The id of a row whose own id is only unique within its account. */
export function makeRowId({ accountId, id }: { readonly accountId: string; readonly id: string }): string {
  return `${accountId} ${id}`;
}

export function makeTagDayId(accountId: string, dayMs: number): string {
  return `${accountId} ${dayMs}`;
}

/** A provider credential added at run time. */
export interface StoredCredential extends ValuesOf<typeof CREDENTIAL_FIELDS> {
  readonly id: string;
  readonly provider: string;
  /** The secret, encrypted. */
  readonly sealed: string;
  readonly createdAtMs: number;
}
