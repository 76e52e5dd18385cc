// The journals of accounts: the part of the store port that reads them.

import type { Entry, EntryKind, SystemAccount } from "../rows.ts";
import type { Page } from "../world/page.ts";
import type { NanoUsd } from "./money.ts";
import type { Movement } from "./movement.ts";
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
