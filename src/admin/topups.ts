// The operator's top-ups: each adds money to an account exactly once, however often its request is repeated.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import type { Account } from "../core/key.ts";
import { toUsd } from "../core/money.ts";
import type { Store } from "../core/store.ts";
import type { Random } from "../core/world.ts";
import { type TopUpOrder, topUp } from "../ledger/fund.ts";
import { type AccountView, accountView } from "./accounts.ts";
import { makeEntry } from "./audit-trail.ts";
import { noteSchema, readIdempotencyKey, readLine, readUsd } from "./input.ts";
import { closeObject } from "./schema.ts";
import type { ActingWorld } from "./world.ts";

export const topUpSchema = closeObject({
  amount_usd: Type.Number({ exclusiveMinimum: 0, description: "USD, with up to nine decimals." }),
  note: Type.Optional(noteSchema),
});

const ATTEMPTS_MAX = 3;
const ID_BYTES = 15;

/**
 * Adds an amount to an account and returns the updated account. An Idempotency-Key identifies a top-up of an account:
 * repeated with the same amount it changes nothing, and the first note stays. Throws the Faults `not_found`,
 * `idempotency_mismatch`, and those of bad input.
 */
export async function topUpAccount(
  { store, clock, random, act }: ActingWorld,
  accountId: string,
  fields: Static<typeof topUpSchema>,
  idempotencyKey: string | null,
): Promise<AccountView> {
  const nanoUsd = readUsd(fields.amount_usd, "amount_usd");
  const note = readLine(fields.note ?? "", "note") || null;
  const order: TopUpOrder = {
    accountId,
    id: makeTopUpId(idempotencyKey, random),
    nanoUsd,
    note,
    nowMs: clock.nowMs(),
    entry: makeEntry({ clock, random }, act, {
      ...{ action: "topup.made", target: { type: "account", id: accountId, name: "" }, accountId },
      after: { amount_usd: toUsd(nanoUsd), note },
    }),
  };
  return accountView(await commitTopUp(store, order));
}

/** Ids made from a client's key contain a space, so they can't collide with our own. */
function makeTopUpId(idempotencyKey: string | null, random: Random): string {
  if (idempotencyKey !== null) return `idem ${readIdempotencyKey(idempotencyKey, "Idempotency-Key")}`;
  return `top_${Buffer.from(random.bytes(ID_BYTES)).toString("hex")}`;
}

/** Returns once the top-up survives a power failure. After an unknown outcome it retries with the top-up's id. */
async function commitTopUp(store: Pick<Store, "transact" | "durable">, order: TopUpOrder): Promise<Account> {
  let doubt: Fault | null = null;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    let written = false;
    try {
      const account = await topUp(store, order);
      written = true;
      await store.durable();
      return account;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "store_unavailable") throw error;
      if (!written && doubt === null && error.details.outcomeUnknown !== true) throw error;
      doubt = error;
    }
  }
  const message =
    "The store failed, so it is unknown whether this top-up was recorded. Repeat it with the same Idempotency-Key, or check the account's journal first.";
  throw new Fault("store_unavailable", message, { outcomeUnknown: true, cause: doubt });
}
