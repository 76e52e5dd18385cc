// A ledger in which every request is paid for: one word for each movement, and the errors of the books.

import type { Audit } from "../../src/core/books/audit.ts";
import type { Entry } from "../../src/core/books/journal.ts";
import type { GrantAnswer, SettlementAnswer } from "../../src/core/demand.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import type { RequestRecord } from "../../src/core/log/record.ts";
import type { NanoUsd } from "../../src/core/money/money.ts";
import type { Store } from "../../src/core/store.ts";
import type { Ask, Ledger, Ticket } from "../../src/ledger/ledger.ts";
import {
  costing,
  expectGrant,
  ledgerOn,
  makeAsk,
  makeOutcome,
  type RulesChanged,
} from "../harness/samples.ts";

export const ALWAYS = { billing: { charge: "always" } } as const;

export interface Payments {
  readonly ledger: Ledger;
  ticket(id: string, key: GatewayKey, worstNanoUsd: NanoUsd, fields?: Partial<Ask>): Ticket;
  /** Admits a request with this worst cost. */
  hold(
    id: string,
    key: GatewayKey,
    worstNanoUsd: NanoUsd,
  ): Promise<Ticket & { readonly granted: GrantAnswer }>;
  /** Settles an answered request at this cost. */
  post(ticket: Ticket, costNanoUsd: NanoUsd, fields?: Partial<RequestRecord>): Promise<SettlementAnswer>;
  /** Settles a request that got no answer. */
  release(ticket: Ticket, fields?: Partial<RequestRecord>): Promise<SettlementAnswer>;
}

export function openPayments(store: Store, rules: RulesChanged = ALWAYS): Payments {
  const ledger = ledgerOn(store, rules);
  const ticket: Payments["ticket"] = (id, key, worstNanoUsd, fields) =>
    ledger.ticket(makeAsk(id, key, { offers: () => [costing(worstNanoUsd)], ...fields }));
  return {
    ledger,
    ticket,
    async hold(id, key, worstNanoUsd) {
      const asked = ticket(id, key, worstNanoUsd);
      return { ...asked, granted: await expectGrant(ledger, asked) };
    },
    post: (held, costNanoUsd, fields) =>
      ledger.settle(held, makeOutcome(held, { costNanoUsd, modelUsed: "Sim#echo", ...fields })),
    release: (held, fields) =>
      ledger.settle(
        held,
        makeOutcome(held, { usageSource: "none", ended: "upstream_failed", ...fields }, false),
      ),
  };
}

/** Admits a request, and returns whether it was: any may be refused while the machine is slow, so a test asks until it is. */
export function isServed(payments: Payments, id: string, key: GatewayKey): Promise<boolean> {
  return payments.hold(id, key, 1).then(
    () => true,
    () => false,
  );
}

/** Returns the errors of the books in words, or an empty list. */
export function findErrors({
  accounts,
  balances,
  held,
  system,
  strayEntries,
  limits,
}: Audit): readonly string[] {
  const wrong: string[] = [];
  for (const account of accounts) {
    const { id } = account;
    if (account.balanceNanoUsd !== account.journalBalanceNanoUsd) wrong.push(`${id}: balance`);
    if (account.heldNanoUsd !== account.journalHeldNanoUsd) wrong.push(`${id}: held`);
    if (account.heldNanoUsd !== account.openHoldsNanoUsd) wrong.push(`${id}: open holds`);
    if (account.entries !== account.journalEntries) wrong.push(`${id}: entries`);
    if (account.brokenEntries > 0) wrong.push(`${id}: broken entries`);
  }
  const others = system.funding + system.revenue + system.overrun + system.receivable;
  if (balances + held + others !== 0n) wrong.push("sum");
  if (strayEntries > 0) wrong.push("stray entries");
  for (const { owner, budget, counted, ofHolds } of limits)
    wrong.push(`${owner}: ${budget ?? "parallel"} ${counted}, by its holds ${ofHolds}`);
  return wrong;
}

/** Returns an account's whole journal, oldest entry first. */
export async function readJournal(store: Store, accountId = "default"): Promise<readonly Entry[]> {
  return (await store.journals.entries(accountId, { limit: 100_000, after: null })).toReversed();
}

/** Formats an entry as one line: its kind, its non-zero legs, and the balance after it. */
export function inLine(entry: Entry): string {
  const { kind, balanceNanoUsd, heldNanoUsd, fundingNanoUsd, revenueNanoUsd, overrunNanoUsd } = entry;
  const legs = Object.entries({
    balance: balanceNanoUsd,
    held: heldNanoUsd,
    funding: fundingNanoUsd,
    revenue: revenueNanoUsd,
    overrun: overrunNanoUsd,
  });
  const moved = legs
    .filter(([, leg]) => leg !== 0)
    .map(([side, leg]) => `${side} ${leg > 0 ? "+" : ""}${leg}`);
  return `${kind}: ${moved.join(", ")} → ${entry.balanceAfterNanoUsd}`;
}
