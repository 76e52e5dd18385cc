// The event of a balance that falls below the amount at which its account wants to hear of it.
import type { EntryKind } from "../../core/books/journal.ts";
import { makeEvent, type OutboxEvent } from "../../core/events/events.ts";
import type { Account } from "../../core/keys/key.ts";
import { toUsd } from "../../core/money/money.ts";

/** A pay-out is made by hand, and a hold is no charge yet. */
const TAKING: ReadonlySet<EntryKind> = new Set<EntryKind>([
  "post",
  "overrun",
  "adjustment",
  "refund",
  "dispute",
]);

/** Returns the event of a movement that takes the whole balance below that amount. Null if it was below before. */
export function findBalanceLow(
  before: Account,
  after: Account,
  { kind, atMs }: { readonly kind: EntryKind; readonly atMs: number },
): OutboxEvent | null {
  const { id: accountId, name, balanceLowNanoUsd: limit } = after;
  if (limit === null || !TAKING.has(kind)) return null;
  const [had, has] = [before, after].map((one) => one.balanceNanoUsd + one.heldNanoUsd);
  if (had === undefined || has === undefined || had < limit || has >= limit) return null;
  const data = { account_id: accountId, name, balance: toUsd(has), limit: toUsd(limit) };
  return makeEvent("balance.low", accountId, { accountId, atMs, data });
}
