// The rows that demands are decided on, and the decision: answers, and rows to write.

import type { Checkout } from "../../../src/core/books/checkout.ts";
import type { Entry } from "../../../src/core/books/journal.ts";
import type { Movement } from "../../../src/core/books/movement.ts";
import type { Answer, Demand } from "../../../src/core/demand.ts";
import type { OutboxEvent } from "../../../src/core/events/events.ts";
import type { Account, GatewayKey } from "../../../src/core/keys/key.ts";
import type { MemberTerms } from "../../../src/core/limits/member-limits.ts";
import type { ModelSum } from "../../../src/core/limits/opening.ts";
import type { KeptReply } from "../../../src/core/log/kept.ts";
import type { CallSum } from "../../../src/core/log/provider-call.ts";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import type { FirstTokenSum, TagOfDay, UsageSum } from "../../../src/core/log/usage-sum.ts";
import type { Hold, Meter, OwnerState, Spend } from "../../../src/core/rows.ts";

/** Rows as read in the transaction. Rows that were not found are null or missing. */
export interface Rows {
  /** The store's clock at the decision, in Unix milliseconds. Null if it has none: then the demands' own times count. */
  readonly nowMs: number | null;
  readonly accounts: ReadonlyMap<string, Account | null>;
  readonly keys: ReadonlyMap<string, GatewayKey | null>;
  /** By `makeOwnerId`. */
  readonly spends: ReadonlyMap<string, Spend | null>;
  /** By `makeMeterId`. */
  readonly meters: ReadonlyMap<string, Meter | null>;
  /** By `makeOwnerId`. */
  readonly owners: ReadonlyMap<string, OwnerState | null>;
  /** By `makeOwnerId`. Missing if none was asked for. */
  readonly members?: ReadonlyMap<string, MemberTerms | null>;
  /** By `makeOpeningId`. Missing if none were asked for. */
  readonly sums?: ReadonlyMap<string, readonly ModelSum[]>;
  readonly holds: Pick<ReadonlyMap<string, Hold | null>, "get">;
  /** Only those without a hold. */
  readonly requests: ReadonlyMap<string, RequestRecord | null>;
  readonly replies: ReadonlyMap<string, KeptReply | null>;
  readonly movements: ReadonlyMap<string, Movement | null>;
  /** By `makeTagDayId`. Missing if none were asked for. */
  readonly tagsOfDays?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Missing if none was asked for. */
  readonly checkouts?: ReadonlyMap<string, Checkout | null>;
}

/** Rows to delete, by account: every key in the store begins with the account. */
export interface DeletedRow {
  readonly accountId: string;
  readonly id: string;
}

/** The decision on a batch of demands: an answer for each, in order, and the rows to write before any is returned. */
export interface Decision {
  readonly answers: readonly Answer[];
  readonly accounts: readonly Account[];
  /** Those of them whose state changed too: what they owe, and whether they are paused or closed. */
  readonly states: readonly Account[];
  readonly spends: readonly Spend[];
  readonly meters: readonly Meter[];
  readonly owners: readonly OwnerState[];
  readonly holds: readonly Hold[];
  readonly holdsGone: readonly DeletedRow[];
  readonly entries: readonly Entry[];
  readonly requests: readonly RequestRecord[];
  /** Rows that take the place of those given up as lost. */
  readonly requestsAmended: readonly RequestRecord[];
  readonly replies: readonly KeptReply[];
  readonly repliesGone: readonly DeletedRow[];
  readonly movements: readonly Movement[];
  readonly checkouts: readonly Checkout[];
  /** Amounts to add to the hour's row. */
  readonly usage: readonly UsageSum[];
  /** The same by tag. */
  readonly tagUsage: readonly UsageSum[];
  /** Tags that are new on their day. */
  readonly tagsOfDays: readonly TagOfDay[];
  /** Counts to add in the same way. */
  readonly firstTokens: readonly FirstTokenSum[];
  /** Amounts to add to the day's row. */
  readonly calls: readonly CallSum[];
  readonly events: readonly OutboxEvent[];
}

/** Pure. Called again if the transaction has to be repeated. */
export type Decide = (rows: Rows, demands: readonly Demand[]) => Decision;
