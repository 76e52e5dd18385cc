// The rows that demands are decided on, and the decision: answers, and rows to write.

import type { Checkout } from "./books/checkout.ts";
import type { Entry } from "./books/journal.ts";
import type { Movement } from "./books/movement.ts";
import type { Answer, Demand } from "./demand.ts";
import type { OutboxEvent } from "./events/events.ts";
import type { Account, GatewayKey } from "./keys/key.ts";
import type { ModelSum } from "./limits/opening.ts";
import type { KeptReply } from "./log/kept.ts";
import type { CallSum } from "./log/provider-call.ts";
import type { RequestRecord } from "./log/record.ts";
import type { FirstTokenSum, TagOfDay, UsageSum } from "./log/usage-sum.ts";
import type { Cell, KeptRows, OwnerPage } from "./pages.ts";
import type { Hold, Meter, OwnerState, Spend } from "./rows.ts";

/**
 * Rows as read in the transaction. Rows that were not found are null or missing. A decision changes cells in place, so a
 * store may keep them for the next: it says of each decision whether it was committed.
 */
export interface Rows {
  /** The store's clock at the decision, in Unix milliseconds. Null if it has none: then the demands' own times count. */
  readonly nowMs: number | null;
  readonly accounts: RowLookup<Cell<Account>>;
  readonly keys: RowLookup<GatewayKey | null>;
  /** Returns what was read of an owner: its spend, its state, its meters, a member's terms. */
  readonly page: (accountId: string, owner: string) => OwnerPage;
  /** By `makeOpeningId`. Missing if none were asked for. */
  readonly sums?: RowLookup<readonly ModelSum[]>;
  readonly holds: KeptRows<Cell<Hold>>;
  /** Only those without a hold. */
  readonly requests: RowLookup<RequestRecord | null>;
  /** By `makeRowId`: a key that was moved names the same reply in another account. */
  readonly replies: RowLookup<KeptReply | null>;
  readonly movements: RowLookup<Movement | null>;
  /** By `makeTagDayId`. Missing if none were asked for. */
  readonly tagsOfDays?: RowLookup<ReadonlySet<string>>;
  /** Missing if none was asked for. */
  readonly checkouts?: RowLookup<Checkout | null>;
}

interface RowLookup<Row> {
  get(id: string): Row | undefined;
}

/** Rows to delete, by account: every key in the store begins with the account. */
export interface DeletedRow {
  readonly accountId: string;
  readonly id: string;
}

/**
 * The decision on a batch of demands: an answer for each, in order, and the rows to write before any is returned. Its lists
 * are valid until one of its methods is called, or the next decision on the same rows.
 */
export interface Decision {
  /** Call it once the rows are committed. */
  keep(): void;
  /** Call it if they aren't: gives the rows that were decided on back as they were before. */
  takeBack(): void;
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

/** Depends on its arguments alone. Called again if the transaction has to be repeated. */
export type Decide = (rows: Rows, demands: readonly Demand[]) => Decision;
