// The operator's view of the journals: the movements of an account, or of a system account, that people know.
import { type Static, Type } from "@sinclair/typebox";
import {
  ENTRY_KINDS,
  type Entry,
  type EntryFacts,
  type EntryKind,
  findLeg,
  makeEntryId,
} from "../../core/books/journal.ts";
import { isOwing, MOVEMENT_KINDS } from "../../core/books/movement.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { ENDINGS, USAGE_SOURCES } from "../../core/log/record.ts";
import { toUsd } from "../../core/money/money.ts";
import { ACTOR_KINDS, type Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { Page, Position } from "../../core/world/page.ts";
import { formatInstant } from "../format.ts";
import { type ListPage, listPage, pageFields } from "../list.ts";
import { allowNull, allowWords, closeObject, instant, text, usd, type View } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { findSystemAccount } from "./accounts.ts";

/** The entries that move nothing to or from an account as people see it: only between what is free and what is held. */
const LEDGER_KINDS: readonly EntryKind[] = ["hold", "void"];
const SHOWN_KINDS = ["charge", "overrun", ...MOVEMENT_KINDS] as const;

/** A movement as the operator sees it: what it added to the journal's account, and the balance it left. */
export const entrySchema = Type.Object({
  id: text,
  at: instant,
  kind: allowWords([...new Set([...SHOWN_KINDS, ...ENTRY_KINDS])]),
  account_id: text,
  amount_usd: Type.Number({ description: "USD. Negative if it was taken, as a charge is." }),
  balance_usd: Type.Union([usd, Type.Null()], {
    description:
      "The sum of all rows up to this one; with `detail=ledger` only what is free. Null for a system account.",
  }),
  completion_id: Type.Optional(text),
  request_id: Type.Optional(Type.String({ description: "`req_…`, while the request's row is kept." })),
  by: Type.Optional(Type.Object({ kind: allowWords(ACTOR_KINDS), id: text })),
  reason: Type.Optional(text),
  note: Type.Optional(text),
  usage_source: Type.Optional(allowNull(allowWords(USAGE_SOURCES))),
  ended: Type.Optional(allowNull(allowWords(ENDINGS))),
  written_off_usd: Type.Optional(
    Type.Number({ description: "The cost that neither the hold nor the free balance covered." }),
  ),
  due_usd: Type.Optional(
    Type.Number({ description: "What the account owes since, or with a negative amount has paid." }),
  ),
});
export type EntryView = View<typeof entrySchema>;

export const journalQuery = closeObject({
  ...pageFields,
  detail: Type.Optional(
    Type.Unsafe<"ledger">({
      type: "string",
      enum: ["ledger"],
      description: "`ledger` for the ledger's own rows, with each hold and its return.",
    }),
  ),
});
type JournalQuery = Static<typeof journalQuery>;

type EntryAmounts = Pick<EntryView, "kind" | "amount_usd" | "balance_usd">;

/** Shows what a movement changed of the whole balance, with what requests hold. */
function showWhole(entry: Entry): EntryAmounts {
  return {
    kind: entry.kind === "post" ? "charge" : entry.kind,
    amount_usd: toUsd(entry.balanceNanoUsd + entry.heldNanoUsd),
    balance_usd: toUsd(entry.balanceAfterNanoUsd + (entry.heldAfterNanoUsd ?? 0)),
  };
}

function showFree({ kind, balanceNanoUsd, balanceAfterNanoUsd }: Entry): EntryAmounts {
  return { kind, amount_usd: toUsd(balanceNanoUsd), balance_usd: toUsd(balanceAfterNanoUsd) };
}

function entryView(entry: Entry, amounts: EntryAmounts, facts: EntryFacts): EntryView {
  const { kind, note, requestId, usageSource, ended, overrunNanoUsd } = entry;
  const known = facts.requestIds.get(requestId ?? "");
  const by = facts.movements.get(entry.seq)?.by ?? null;
  return {
    id: makeEntryId(entry),
    at: formatInstant(entry.atMs),
    ...amounts,
    account_id: entry.accountId,
    ...(requestId === null ? {} : { completion_id: requestId, usage_source: usageSource, ended }),
    // A client may have named its request itself.
    ...(known?.startsWith("req_") ? { request_id: known } : {}),
    ...(by === null ? {} : { by }),
    ...(note === null ? {} : kind === "adjustment" || kind === "payout" ? { reason: note } : { note }),
    ...(overrunNanoUsd === 0
      ? {}
      : { [isOwing(kind) ? "due_usd" : "written_off_usd"]: toUsd(-overrunNanoUsd) }),
  };
}

const NO_FACTS: EntryFacts = { movements: new Map(), requestIds: new Map() };

/** Returns a page of an account's journal, newest first. Throws the Fault `not_found`. */
export async function listJournal(
  { store }: Pick<AdminWorld, "store">,
  accountId: string,
  { detail, ...query }: JournalQuery,
  scope?: Scope,
): Promise<ListPage<EntryView>> {
  const system = findSystemAccount(accountId, scope);
  if (system !== null) {
    const find = (page: Page) => store.journals.systemEntries(system, checkCursor(page, null));
    const amountsOf = (entry: Entry): EntryAmounts => ({
      kind: showWhole(entry).kind,
      amount_usd: toUsd(entry[findLeg(system)]),
      balance_usd: null,
    });
    return listPage(query, find, findPosition, (entry) => entryView(entry, amountsOf(entry), NO_FACTS));
  }
  if ((await store.account(accountId, scope)) === null)
    throw new Fault("not_found", "There is no account with that id.");
  let facts = NO_FACTS;
  const without = detail === "ledger" ? [] : LEDGER_KINDS;
  const find = async (page: Page) => {
    const entries = await store.journals.entries(accountId, checkCursor(page, accountId), without);
    facts = await store.journals.findFacts(accountId, entries);
    return detail === "ledger" ? entries : addHeld(store, accountId, entries);
  };
  const show = detail === "ledger" ? showFree : showWhole;
  return listPage(query, find, findPosition, (entry) => entryView(entry, show(entry), facts));
}

/** Entries from before it was kept don't say what was held after them. */
async function addHeld(
  store: Pick<Store, "journals">,
  accountId: string,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  if (entries.every(({ heldAfterNanoUsd }) => heldAfterNanoUsd !== null)) return entries;
  const shown = entries.filter(({ heldAfterNanoUsd }) => heldAfterNanoUsd === null);
  const held = await store.journals.heldAfter(accountId, shown);
  return entries.map((entry) => ({
    ...entry,
    heldAfterNanoUsd: entry.heldAfterNanoUsd ?? held.get(entry.seq) ?? 0,
  }));
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
