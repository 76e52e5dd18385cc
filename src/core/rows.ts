// The rows on which admission and settlement are decided, common to all store engines.
import type { CREDENTIAL_FIELDS } from "./fields/credential.ts";
import type { ValuesOf } from "./fields/field.ts";
import type { BudgetUse, LimitUse, Minute } from "./limits/limit.ts";
import type { EndingName, RequestHead, RequestOutcome, UsageSource } from "./log/record.ts";
import type { NanoUsd } from "./money/money.ts";
import { MOVEMENT_KINDS } from "./money/movement.ts";
import type { Amounts } from "./money/units.ts";

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

export const ENTRY_KINDS = ["hold", "post", "void", "overrun", ...MOVEMENT_KINDS] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The gain of each side of a movement. The sum is zero. */
export interface Legs {
  readonly balanceNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
  /** The source of top-ups, and where what is taken from an account goes. Negative for a top-up. */
  readonly fundingNanoUsd: NanoUsd;
  readonly revenueNanoUsd: NanoUsd;
  /** The amount written off. Negative. For `OWING_KINDS`, what the account owes from then on, positive if it was paid. */
  readonly overrunNanoUsd: NanoUsd;
}

/** One movement of money in an account's journal. */
export interface Entry extends Legs {
  readonly accountId: string;
  /** 1, 2, 3 … within the account. */
  readonly seq: number;
  readonly atMs: number;
  readonly kind: EntryKind;
  readonly balanceAfterNanoUsd: NanoUsd;
  /** The amount that open requests hold besides. Null in entries from before it was kept. */
  readonly heldAfterNanoUsd: NanoUsd | null;
  /** The completion's id. Null for movements that no request causes. */
  readonly requestId: string | null;
  /** The rule by which a request was settled. Null for other movements. */
  readonly usageSource: UsageSource | null;
  readonly ended: EndingName | null;
  /** The operator's note on a top-up, the reason of an adjustment, or why money moved out of the usual order. */
  readonly note: string | null;
}

/** Sides without a stored balance, over which all nodes would contend. It is the sum of the journal. */
const SYSTEM_ACCOUNTS = ["funding", "revenue", "overrun", "receivable"] as const;
export type SystemAccount = (typeof SYSTEM_ACCOUNTS)[number];

export function makeSystemAccount(id: string): SystemAccount | null {
  return SYSTEM_ACCOUNTS.find((one) => one === id) ?? null;
}

/** The leg of an entry that is a system account's. */
export function findLeg(account: SystemAccount): "fundingNanoUsd" | "revenueNanoUsd" | "overrunNanoUsd" {
  return account === "receivable" ? "overrunNanoUsd" : `${account}NanoUsd`;
}

export const REPLY_STATES = ["pending", "kept", "unavailable"] as const;
type ReplyState = (typeof REPLY_STATES)[number];

/** A stored answer for repeated requests with the same Idempotency-Key. */
export interface KeptReply {
  readonly accountId: string;
  /** Digest of the gateway key's id and the client's Idempotency-Key. */
  readonly id: string;
  readonly bodyDigest: string;
  /** The completion's id. */
  readonly requestId: string;
  readonly atMs: number;
  readonly state: ReplyState;
  /** The encrypted reply. Null if it is not stored. */
  readonly sealed: string | null;
}

/** One hour of a key's requests to a model, for one operation on one surface. */
interface HourOfUse {
  /** Start of the hour in Unix milliseconds. */
  readonly hourMs: number;
  readonly accountId: string;
  readonly keyId: string;
  /** The model that answered, or else the one whose provider failed. Empty if neither. */
  readonly model: string;
  readonly operation: string;
  readonly surface: string;
  readonly requests: number;
}

/** The totals of these requests. */
export interface UsageSum extends HourOfUse {
  /** The person whose key it is. Empty for service keys, and in sums over all people. */
  readonly member: string;
  /** The provider of that model. Empty in sums over all providers. */
  readonly provider: string;
  /** Empty in sums over all outcomes, and in those from before outcomes were told apart. */
  readonly outcome: RequestOutcome | "";
  /**
   * In sums by tag: the tag, such as `team=search`, or `other` for those beyond the day's first ones. A request is in the
   * sum of each of its tags. In the other sums it is counted once, under `tagged` or, without tags, under an empty one.
   */
  readonly tag: string;
  readonly errors: number;
  readonly amounts: Amounts;
  readonly costNanoUsd: NanoUsd;
  /** The part of the cost that the markup adds, below 0 for a markup below 1. 0 in rows from before it was kept. */
  readonly markupNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
  /** Answers from the cache, and what they had cost when they were new. */
  readonly cached: number;
  readonly savedNanoUsd: NanoUsd;
  /** The part of it that another month's statement has: the one before in the first half of a month, else the next. */
  readonly edge?: { readonly costNanoUsd: NanoUsd; readonly chargedNanoUsd: NanoUsd };
}

/** A tag by which the requests of an account's day are summed. */
export interface TagOfDay {
  readonly accountId: string;
  /** The start of the UTC day. */
  readonly dayMs: number;
  /** `team=search` */
  readonly tag: string;
}

/** The id of a row whose own id is only unique within its account. */
export function makeRowId({ accountId, id }: { readonly accountId: string; readonly id: string }): string {
  return `${accountId} ${id}`;
}

export function makeTagDayId(accountId: string, dayMs: number): string {
  return `${accountId} ${dayMs}`;
}

/** The source of a score: the client, the operator's labels, or signs of breakage in the answer itself. */
export const LESSON_SOURCES = ["score", "label", "signal"] as const;
type LessonSource = (typeof LESSON_SOURCES)[number];

/** The number of streamed answers that began within a bucket of time (`findBucket`). */
export interface FirstTokenSum extends HourOfUse {
  /** The person whose key it is, where sums are read. Not stored: it follows from the key. */
  readonly member?: string;
  readonly bucket: number;
}

/** One model's score for a request. */
export interface LessonMark {
  /** The card's id. */
  readonly model: string;
  /** 0…1. */
  readonly score: number;
  /** The predicted quality before any learning, 0…1. */
  readonly expected: number;
}

/** The scores of answers to one request, with everything the selectors learn from them. */
export interface Lesson {
  readonly accountId: string;
  /** The completion's id. For labels, an id derived from their request, which has one lesson for all of them. */
  readonly id: string;
  /** The key that made the request. Empty for labels. */
  readonly keyId: string;
  /** The time of the latest score, in Unix milliseconds. */
  readonly atMs: number;
  readonly source: LessonSource;
  /** The weight of each score, 0…1. */
  readonly weight: number;
  /** The request as the predictor saw it: its `row` as JSON. */
  readonly request: string;
  /** One score, except for labels, which may cover many models. */
  readonly marks: readonly LessonMark[];
}

/** A request's prompt and answer, encrypted. */
export interface KeptContent {
  readonly accountId: string;
  readonly id: string;
  readonly atMs: number;
  readonly sealed: string;
}

/** A stored response of the Responses API with its conversation. `sealed` holds the response and its input. */
export interface StoredResponse extends KeptContent {
  /** The key that made it. */
  readonly keyId: string;
  /** The size of `sealed`, which counts towards the account's limit. */
  readonly bytes: number;
  /** The ids of the response's own items, as JSON. */
  readonly items: string;
}

/** A provider credential added at run time. */
export interface StoredCredential extends ValuesOf<typeof CREDENTIAL_FIELDS> {
  readonly id: string;
  readonly provider: string;
  /** The secret, encrypted. */
  readonly sealed: string;
  readonly createdAtMs: number;
}
