// The journals of accounts: the part of the store port that reads them.
import type { EndingName, UsageSource } from "../log/record.ts";
import type { NanoUsd } from "../money/money.ts";
import type { Page } from "../world/page.ts";
import { MOVEMENT_KINDS, type Movement } from "./movement.ts";
import type { StatementStore } from "./statement.ts";

export function makeEntryId({ accountId, seq }: Pick<Entry, "accountId" | "seq">): string {
  return `${accountId}.${seq}`;
}

/** An entry's number, from its `makeEntryId`. */
export function readEntrySeq(entryId: string): number {
  return Number(entryId.slice(entryId.lastIndexOf(".") + 1));
}

/** Facts about entries from other rows. */
export interface EntryFacts {
  /** By the entry's number. */
  readonly movements: ReadonlyMap<number, Movement>;
  /** The requests' own ids, by the completion's. Only of requests whose rows are kept. */
  readonly requestIds: ReadonlyMap<string, string>;
}

/** Each method is one transaction, as in `Store`. */
export interface JournalStore extends StatementStore {
  /**
   * An account's entries, newest first, but for those of some kinds. With a position, those after the entry with that `id`
   * (`makeEntryId`).
   */
  entries(accountId: string, page: Page, without?: readonly EntryKind[]): Promise<readonly Entry[]>;
  /** Finds the facts about a page of an account's journal. */
  findFacts(accountId: string, entries: readonly Entry[]): Promise<EntryFacts>;
  /** Returns the amount that requests held after each of these entries, by its number: the sum from the journal's beginning. */
  heldAfter(accountId: string, entries: readonly Entry[]): Promise<ReadonlyMap<number, NanoUsd>>;
  /** Returns closed accounts of which keys or something that was kept for them are left, up to this many. */
  unfinishedClosings(most: number): Promise<readonly string[]>;
  /** The movements of all accounts that involve a system account, newest first. */
  systemEntries(account: SystemAccount, page: Page): Promise<readonly Entry[]>;
  systemBalance(account: SystemAccount): Promise<NanoUsd>;
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
