// The rows that admission and settlement are decided on, as every store engine keeps them.
import type { NanoUsd } from "./money.ts";
import type { Ended, RequestHead, UsageSource } from "./record.ts";
import type { Amounts } from "./units.ts";

/** One day of an owner: a key or an account, by its id. */
export interface Meter {
  readonly accountId: string;
  readonly owner: string;
  /** `2026-11-20`: the date on which the day began in the operator's time zone. */
  readonly day: string;
  /** Places of the allowance that are taken. */
  readonly used: number;
  /** The time at which the last of them was taken, Unix milliseconds. */
  readonly lastAtMs: number;
  /** Answers whose place or charge was given back although a provider had been sent the request. */
  readonly givenBack: number;
  /** The cost of the day's free requests by the cards, and the most that those under way may still cost. */
  readonly freeSpentNanoUsd: NanoUsd;
  readonly freeHeldNanoUsd: NanoUsd;
}

export function makeMeterId(owner: string, day: string): string {
  return `${owner} ${day}`;
}

export interface SlotTaken {
  readonly atMs: number;
  /** The id of the request that took it. */
  readonly by: string;
}

/** The last slot that the throttle gave an owner; null: none, or it was given back. */
export interface Slot {
  readonly accountId: string;
  readonly owner: string;
  readonly taken: SlotTaken | null;
}

export const PLACE_KINDS = ["allowance", "throttle", "unlimited", "balance"] as const;

/** The way in which an admitted request was let in, with all that giving it back needs. */
export interface Place {
  readonly kind: (typeof PLACE_KINDS)[number];
  /** The owner and the day of the meter that counts it. */
  readonly owner: string;
  readonly day: string;
  /** Places of the day's allowance that it took: at most one for each answer asked for. */
  readonly places: number;
  /** Slots of the throttle that it took, `everyMs` apart; `taken` is the last of them, null when there are none. */
  readonly slots: number;
  readonly everyMs: number;
  readonly taken: SlotTaken | null;
  /** The slot that was taken before. */
  readonly previous: SlotTaken | null;
  /** The most answers a day that may be given back to the owner. */
  readonly giveBackMax: number;
  /** Held of what the owner's free requests may cost in the day; null: no such bound applies. */
  readonly freeNanoUsd: NanoUsd | null;
}

/**
 * A request that was let in and is not settled yet. Taking the row away settles the request, so it is settled
 * once. The row holds all that the request's own row needs if its node dies.
 */
export interface Hold extends RequestHead {
  /** The completion's id. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The life of a process that answers for the request. */
  readonly node: string;
  readonly atMs: number;
  readonly place: Place;
  /** The hold on the balance: the most that the request may cost. 0 unless the balance pays. */
  readonly nanoUsd: NanoUsd;
  /** The kept reply that this request is to fill; null: the client sent no Idempotency-Key. */
  readonly replyId: string | null;
}

/** The cost of a key's requests to its account over its lifetime, and what they hold now. */
export interface Spend {
  readonly accountId: string;
  readonly keyId: string;
  readonly spentNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
}

export const ENTRY_KINDS = ["topup", "hold", "post", "void", "overrun"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The gain of each side of a movement; they add up to zero. */
export interface Legs {
  readonly balanceNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
  /** The source of top-ups: negative. */
  readonly fundingNanoUsd: NanoUsd;
  readonly revenueNanoUsd: NanoUsd;
  /** The amount written off: negative. */
  readonly overrunNanoUsd: NanoUsd;
}

/** One movement of money in an account's journal. */
export interface Entry extends Legs {
  readonly accountId: string;
  /** 1, 2, 3 … in the order of the account's movements. */
  readonly seq: number;
  readonly atMs: number;
  readonly kind: EntryKind;
  readonly balanceAfterNanoUsd: NanoUsd;
  /** The completion's id; null for top-ups. */
  readonly requestId: string | null;
  /** The rule that a settlement followed; null for what is none. */
  readonly usageSource: UsageSource | null;
  readonly ended: Ended | null;
  /** The operator's note on a top-up. */
  readonly note: string | null;
}

/** Sides without their own balance: every node would fight over it. Theirs is the sum of the journal. */
export const SYSTEM_ACCOUNTS = ["funding", "revenue", "overrun"] as const;
export type SystemAccount = (typeof SYSTEM_ACCOUNTS)[number];

export function makeSystemAccount(id: string): SystemAccount | null {
  return SYSTEM_ACCOUNTS.find((one) => one === id) ?? null;
}

/** A top-up that was made, by the id that makes it one however often it is asked for. */
export interface TopUp {
  readonly accountId: string;
  readonly id: string;
  readonly atMs: number;
  readonly nanoUsd: NanoUsd;
}

export const REPLY_STATES = ["pending", "kept", "unavailable"] as const;
export type ReplyState = (typeof REPLY_STATES)[number];

/** The answer to a request with an Idempotency-Key, for those who ask again. */
export interface KeptReply {
  readonly accountId: string;
  /** Digest of the gateway key's id and the client's Idempotency-Key. */
  readonly id: string;
  readonly bodyDigest: string;
  /** The completion's id. */
  readonly requestId: string;
  readonly atMs: number;
  readonly state: ReplyState;
  /** The folded reply, encrypted; null unless it is kept. */
  readonly sealed: string | null;
}

/** One hour's requests of a key to a model, for one operation at one surface. */
export interface HourOfUse {
  /** Start of the hour, Unix milliseconds. */
  readonly hourMs: number;
  readonly accountId: string;
  readonly keyId: string;
  /** The one that answered, else the one whose provider failed; empty: neither. */
  readonly model: string;
  readonly operation: string;
  readonly surface: string;
  readonly requests: number;
}

/** The sums of these requests. */
export interface UsageSum extends HourOfUse {
  readonly errors: number;
  readonly amounts: Amounts;
  readonly costNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
}

/** The sources of a score: the client, the operator's labels, or the answer itself by how it is broken. */
export const LESSON_SOURCES = ["score", "label", "signal"] as const;
export type LessonSource = (typeof LESSON_SOURCES)[number];

/** The number of those with a streamed answer that began within a bucket of time (`bucketOf`). */
export interface FirstTokenSum extends HourOfUse {
  readonly bucket: number;
}

/** One model's score for a request. */
export interface LessonMark {
  /** The card's id. */
  readonly model: string;
  /** 0…1. */
  readonly score: number;
  /** The quality that was predicted without anything learned, 0…1. */
  readonly expected: number;
}

/** The scores of answers to one request, with all that the selectors learn from them. */
export interface Lesson {
  readonly accountId: string;
  /** The completion's id; that of labels is made from their request, which has one lesson for all of them. */
  readonly id: string;
  /** The key that made the request; empty for labels. */
  readonly keyId: string;
  /** The time of the latest score, Unix ms. */
  readonly atMs: number;
  readonly source: LessonSource;
  /** The weight of each score, 0…1. */
  readonly weight: number;
  /** The request as the predictor saw it: its `row`, as JSON. */
  readonly request: string;
  /** One, but for labels, which may be of many models. */
  readonly marks: readonly LessonMark[];
}

/** A request's prompt and answer, encrypted. */
export interface KeptContent {
  readonly accountId: string;
  readonly id: string;
  readonly atMs: number;
  readonly sealed: string;
}

/** A response of the Responses API with its conversation, kept for requests that go on from it. */
export interface StoredResponse {
  readonly accountId: string;
  readonly id: string;
  /** The key that may see it. */
  readonly keyId: string;
  readonly atMs: number;
  /** The size of `sealed`, which counts towards what the account may keep. */
  readonly bytes: number;
  /** The ids of the response's own items, as JSON. */
  readonly items: string;
  /** The response and its input, encrypted. */
  readonly sealed: string;
}

/** A sign-in to the console: the holder of the secret with that digest is the operator until it expires. */
export interface Session {
  readonly digest: string;
  /** The digest of the admin token that was used: under another token the session is void. */
  readonly tokenDigest: string;
  readonly expiresAtMs: number;
}

/** A provider's credential that the operator added at run time. */
export interface StoredCredential {
  readonly id: string;
  readonly provider: string;
  /** The secret, encrypted. */
  readonly sealed: string;
  readonly weight: number;
  /** The provider allows it so many in a minute; null: no limit is known. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly enabled: boolean;
  readonly createdAtMs: number;
}
