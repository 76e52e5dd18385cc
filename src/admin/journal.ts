// The operator's view of the journals: every movement of an account, and each system account's side of all of them.
import { Fault } from "../core/fault.ts";
import { toUsd } from "../core/money.ts";
import { type Entry, makeSystemAccount, type SystemAccount } from "../core/rows.ts";
import { makeEntryId, type Page, type Position } from "../core/store.ts";
import { readFields } from "./input.ts";
import { formatInstant } from "./instant.ts";
import { type Listed, listPage, PAGE_FIELDS } from "./list.ts";
import type { AdminWorld } from "./world.ts";

const LEG = {
  funding: (entry: Entry) => entry.fundingNanoUsd,
  revenue: (entry: Entry) => entry.revenueNanoUsd,
  overrun: (entry: Entry) => entry.overrunNanoUsd,
} as const satisfies Record<SystemAccount, (entry: Entry) => number>;

/** A movement as the operator sees it: what it added to whose journal this is, and what that left free. */
export interface EntryView {
  readonly id: string;
  readonly at: string;
  readonly kind: Entry["kind"];
  readonly account_id: string;
  readonly amount_usd: number;
  /** null in the journal of a system account, which keeps no balance. */
  readonly balance_usd: number | null;
  readonly request_id: string | null;
  readonly usage_source: Entry["usageSource"];
  readonly ended: Entry["ended"];
  readonly note: string | null;
  /** The cost of a request above its hold and the free balance, if there was any. */
  readonly written_off_usd?: number;
}

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

/** A page of an account's journal, newest first. Throws the Fault `not_found`. */
export async function listJournal(
  { store }: AdminWorld,
  accountId: string,
  query: unknown,
): Promise<Listed<EntryView>> {
  const fields = readFields(query, PAGE_FIELDS);
  const system = makeSystemAccount(accountId);
  if (system !== null) {
    const find = (page: Page) => store.systemJournal(system, checked(page, null));
    return listPage(fields, find, positionOf, (entry) => entryView(entry, LEG[system](entry), null));
  }
  if ((await store.account(accountId)) === null)
    throw new Fault("not_found", "There is no account with that id.");
  const find = (page: Page) => store.journal(accountId, checked(page, accountId));
  const viewOf = (entry: Entry) => entryView(entry, entry.balanceNanoUsd, entry.balanceAfterNanoUsd);
  return listPage(fields, find, positionOf, viewOf);
}

function positionOf(entry: Entry): Position {
  return { atMs: entry.atMs, id: makeEntryId(entry) };
}

const ENTRY_ID = /^([\w-]+)\.\d{1,15}$/;

/** A place in another list has the same shape, and stands nowhere in this one. `accountId` null: in any account's. */
function checked(page: Page, accountId: string | null): Page {
  if (page.after === null) return page;
  const [, owner] = ENTRY_ID.exec(page.after.id) ?? [];
  if (owner !== undefined && (accountId === null || owner === accountId)) return page;
  const message = "Invalid 'after': expected the 'next' of the page before of the same journal.";
  throw new Fault("invalid_value", message, { param: "after" });
}
