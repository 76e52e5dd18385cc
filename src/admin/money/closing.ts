// The operator's closing of an account: its keys end for good, what is kept of it is deleted, its balance is paid out.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { closeAccount as closeBooks } from "../../ledger/money/fund.ts";
import { makeEntry } from "../audit/audit-trail.ts";
import { readName } from "../input.ts";
import { closeObject } from "../schema.ts";
import type { ActingWorld } from "../world.ts";
import { type AccountView, accountView } from "./accounts.ts";
import { reasonSchema } from "./topups.ts";

export const closingSchema = closeObject({
  pay_out: Type.Optional(
    Type.Boolean({
      description: "True to pay out the balance. Without it, an account with a balance stays open.",
    }),
  ),
  reason: Type.Optional(reasonSchema),
});
export const reopeningSchema = closeObject({ reason: Type.Optional(reasonSchema) });

interface ClosingParts extends ActingWorld {
  /** That of accounts without one of their own. */
  readonly timeZone?: string;
}

type FinishingParts = Pick<ClosingParts, "store" | "changes" | "clock">;

const ACCOUNTS_AT_ONCE = 20;
const KEYS_AT_ONCE = 200;
const ROWS_AT_ONCE = 1000;

/**
 * Closes an account, and returns it as `closing` until none of it is held. Repeating it finishes what was interrupted.
 * Throws the Faults `not_found`, `balance_left`, and `invalid_value` for the account that always exists.
 */
export async function closeAccount(
  parts: ClosingParts,
  accountId: string,
  { pay_out = false, reason }: Static<typeof closingSchema>,
): Promise<AccountView> {
  if (accountId === DEFAULT_ACCOUNT) {
    throw new Fault("invalid_value", "The account 'default' always exists, so it can't be closed.");
  }
  if (pay_out && reason === undefined) {
    const message = "A pay-out needs a 'reason', which stands in the journal.";
    throw new Fault("missing_required_parameter", message, { param: "reason" });
  }
  await changeState(parts, accountId, pay_out, reason);
  await finishClosing(parts, accountId);
  return find(parts, accountId);
}

/** Ends the keys of a closed account, and deletes what is kept of it. */
async function finishClosing(parts: FinishingParts, accountId: string): Promise<void> {
  await revokeKeys(parts, accountId);
  while ((await parts.store.purgeAccount(accountId, ROWS_AT_ONCE)) > 0);
}

/** Finishes closings that were interrupted, as when a node is killed in the middle. */
export async function finishClosings(parts: FinishingParts): Promise<void> {
  for (;;) {
    const ids = await parts.store.journals.unfinishedClosings(ACCOUNTS_AT_ONCE);
    for (const id of ids) await finishClosing(parts, id);
    if (ids.length < ACCOUNTS_AT_ONCE) return;
  }
}

const DEFAULT_ACCOUNT = "default";

/**
 * Opens a closed account again. Its keys stay revoked: a closing that was interrupted is finished before. Throws the Fault
 * `not_found`.
 */
export async function reopenAccount(
  parts: ClosingParts,
  accountId: string,
  { reason }: Static<typeof reopeningSchema>,
): Promise<AccountView> {
  const account = await parts.store.account(accountId);
  if (account !== null && account.closingAtMs !== null) await finishClosing(parts, accountId);
  await changeState(parts, accountId, null, reason);
  return find(parts, accountId);
}

async function changeState(
  { store, clock, random, act, timeZone = "UTC" }: ClosingParts,
  accountId: string,
  payOut: boolean | null,
  given: string | undefined,
): Promise<void> {
  const note = given === undefined ? null : readName(given, "reason");
  const { kind, id } = act.actor;
  await closeBooks(store, {
    accountId,
    payOut,
    note,
    timeZone,
    by: { kind, id },
    nowMs: clock.nowMs(),
    entry: makeEntry({ clock, random }, act, {
      action: payOut === null ? "account.reopened" : "account.closed",
      target: { type: "account", id: accountId, name: "" },
      accountId,
      reason: note,
    }),
  });
  await store.durable();
}

/** Each is on record by itself. No request was let in since the account was closed. */
async function revokeKeys({ store, changes, clock }: FinishingParts, accountId: string): Promise<void> {
  for (;;) {
    const nowMs = clock.nowMs();
    const page = { limit: KEYS_AT_ONCE, after: null };
    const keys = await store.keys(page, { accountId, isRevoked: false, nowMs });
    for (const { id } of keys) await changes.revokeKey(id, nowMs);
    if (keys.length < KEYS_AT_ONCE) return;
  }
}

async function find({ store }: Pick<ActingWorld, "store">, id: string): Promise<AccountView> {
  const account = await store.account(id);
  if (account === null) throw new Fault("not_found", "There is no account with that id.");
  return accountView(account);
}
