// The operator's view of the journals: all movements of an account, or of a system account.
import { Type } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import { toUsd } from "../core/money.ts";
import type { Scope } from "../core/people.ts";
import { ENDINGS, USAGE_SOURCES } from "../core/record.ts";
import { ENTRY_KINDS, type Entry } from "../core/rows.ts";
import { invalidValue } from "../core/schema-fault.ts";
import { makeEntryId, type Page, type Position } from "../core/store.ts";
import { findSystemAccount } from "./accounts.ts";
import { formatInstant } from "./format.ts";
import { type Listed, listPage, type PageQuery } from "./list.ts";
import { allowNull, allowWords, instant, text, usd, type View } from "./schema.ts";
import type { AdminWorld } from "./world.ts";

/** A movement as the operator sees it: what it added to the journal's account, and the free balance it left. */
export const entrySchema = Type.Object({
  id: text,
  at: instant,
  kind: allowWords(ENTRY_KINDS),
  account_id: text,
  amount_usd: usd,
  // Null for a system account, which keeps no balance.
  balance_usd: allowNull(usd),
  request_id: allowNull(text),
  usage_source: allowNull(allowWords(USAGE_SOURCES)),
  ended: allowNull(allowWords(ENDINGS)),
  note: allowNull(text),
  written_off_usd: Type.Optional(
    Type.Number({ description: "The cost that neither the hold nor the free balance covered." }),
  ),
});
export type EntryView = View<typeof entrySchema>;

function entryView(entry: Entry, amountNanoUsd: number, balanceNanoUsd: number | null): EntryView {
  return {
    id: makeEntryId(entry),
    at: formatInstant(entry.atMs),
    kind: entry.kind,
    account_id: entry.accountId,
    amount_usd: toUsd(amountNanoUsd),
    balance_usd: balanceNanoUsd === null ? null : toUsd(balanceNanoUsd),
    request_id: entry.requestId,
    usage_source: entry.usageSource,
    ended: entry.ended,
    note: entry.note,
    ...(entry.overrunNanoUsd === 0 ? {} : { written_off_usd: toUsd(-entry.overrunNanoUsd) }),
  };
}

/** Returns a page of an account's journal, newest first. Throws the Fault `not_found`. */
export async function listJournal(
  { store }: AdminWorld,
  accountId: string,
  query: PageQuery,
  scope?: Scope,
): Promise<Listed<EntryView>> {
  const system = findSystemAccount(accountId, scope);
  if (system !== null) {
    const find = (page: Page) => store.systemJournal(system, checkCursor(page, null));
    const viewOf = (entry: Entry) => entryView(entry, entry[`${system}NanoUsd`], null);
    return listPage(query, find, findPosition, viewOf);
  }
  if ((await store.account(accountId, scope)) === null)
    throw new Fault("not_found", "There is no account with that id.");
  const find = (page: Page) => store.journal(accountId, checkCursor(page, accountId));
  const viewOf = (entry: Entry) => entryView(entry, entry.balanceNanoUsd, entry.balanceAfterNanoUsd);
  return listPage(query, find, findPosition, viewOf);
}

function findPosition(entry: Entry): Position {
  return { atMs: entry.atMs, id: makeEntryId(entry) };
}

const ENTRY_ID = /^([\w-]+)\.\d{1,15}$/;

/** Refuses a cursor of another list, which has the same shape. A null `accountId` accepts any account's. */
function checkCursor(page: Page, accountId: string | null): Page {
  if (page.after === null) return page;
  const [, owner] = ENTRY_ID.exec(page.after.id) ?? [];
  if (owner !== undefined && (accountId === null || owner === accountId)) return page;
  throw invalidValue("after", "expected the 'next' of this journal's previous page");
}
