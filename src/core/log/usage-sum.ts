// The sums of an hour of use, and of a tag on a day.
import type { NanoUsd } from "../money/money.ts";
import type { Amounts } from "../money/units.ts";
import type { RequestOutcome } from "./record.ts";

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

/** The number of streamed answers that began within a bucket of time (`findBucket`). */
export interface FirstTokenSum extends HourOfUse {
  /** The person whose key it is, where sums are read. Not stored: it follows from the key. */
  readonly member?: string;
  readonly bucket: number;
}
