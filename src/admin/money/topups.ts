// The operator's top-ups and adjustments: each moves money exactly once, however often its request is repeated.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { Account } from "../../core/keys/key.ts";
import { NANO_PER_USD, type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Store } from "../../core/store.ts";
import type { Random } from "../../core/world/world.ts";
import { type FundOrder, fundAccount } from "../../ledger/money/fund.ts";
import { makeEntry } from "../audit/audit-trail.ts";
import { noteSchema, readIdempotencyKey, readLine, readName, readUsd } from "../input.ts";
import { closeObject } from "../schema.ts";
import type { ActingWorld } from "../world.ts";
import { type AccountView, accountView } from "./accounts.ts";

/** Above this, an amount is typed twice: a slip of a digit would be believed. */
const CONFIRMED_ABOVE_USD = 10_000;

const confirmSchema = Type.Optional(
  Type.Number({
    description: `The same amount again. Required above ${CONFIRMED_ABOVE_USD} USD, and below −${CONFIRMED_ABOVE_USD} USD.`,
  }),
);
/** The reason for which money was taken, given or paid out. */
export const reasonSchema = Type.String({ minLength: 1, maxLength: 500 });

export const topUpSchema = closeObject({
  amount_usd: Type.Number({ exclusiveMinimum: 0, description: "USD, with up to nine decimals." }),
  note: Type.Optional(noteSchema),
  confirm_amount_usd: confirmSchema,
});

export const adjustmentSchema = closeObject({
  amount_usd: Type.Number({
    description:
      "USD, with up to nine decimals. Negative to take from the balance, at most what is free of it.",
  }),
  reason: reasonSchema,
  confirm_amount_usd: confirmSchema,
});

const ATTEMPTS_MAX = 3;
const ID_BYTES = 15;

/** The world of an order, with the time zone of accounts without one of their own. */
type OrderParts = Pick<ActingWorld, "store" | "clock" | "random" | "act"> & { readonly timeZone?: string };

/**
 * Adds an amount to an account and returns the updated account. An Idempotency-Key identifies a top-up of an account:
 * repeated with the same amount it changes nothing, and the first note stays. Throws the Faults `not_found`,
 * `idempotency_mismatch`, `account_closed`, and those of bad input.
 */
export function topUpAccount(
  parts: OrderParts,
  accountId: string,
  fields: Static<typeof topUpSchema>,
  idempotencyKey: string | null,
): Promise<AccountView> {
  const note = readLine(fields.note ?? "", "note") || null;
  return order(parts, { accountId, idempotencyKey, fields, movement: "topup", note });
}

/**
 * Adds an amount to an account, or takes one from what is free of it. Otherwise as `topUpAccount`. Throws also the Fault
 * `balance_too_low`.
 */
export function adjustAccount(
  parts: OrderParts,
  accountId: string,
  fields: Static<typeof adjustmentSchema>,
  idempotencyKey: string | null,
): Promise<AccountView> {
  const note = readName(fields.reason, "reason");
  return order(parts, { accountId, idempotencyKey, fields, movement: "adjustment", note });
}

interface TopUpOrder extends Pick<FundOrder, "accountId" | "movement" | "note"> {
  readonly idempotencyKey: string | null;
  readonly fields: { readonly amount_usd: number; readonly confirm_amount_usd?: number };
}

async function order(
  { store, clock, random, act, timeZone = "UTC" }: OrderParts,
  { accountId, movement, note, idempotencyKey, fields }: TopUpOrder,
): Promise<AccountView> {
  const nanoUsd = readAmount(fields);
  const isTopUp = movement === "topup";
  const amount = { amount_usd: toUsd(nanoUsd) };
  const { kind, id } = act.actor;
  return accountView(
    await commitOrder(store, {
      accountId,
      movement,
      nanoUsd,
      note,
      timeZone,
      by: { kind, id },
      id: makeOrderId(idempotencyKey, random),
      nowMs: clock.nowMs(),
      entry: makeEntry({ clock, random }, act, {
        action: isTopUp ? "topup.made" : "adjustment.made",
        target: { type: "account", id: accountId, name: "" },
        accountId,
        reason: isTopUp ? null : note,
        after: isTopUp ? { ...amount, note } : amount,
      }),
    }),
  );
}

function readAmount({ amount_usd, confirm_amount_usd: confirmed }: TopUpOrder["fields"]): NanoUsd {
  const nanoUsd = readUsd(amount_usd, "amount_usd");
  if (nanoUsd === 0) throw invalidValue("amount_usd", "expected an amount other than 0");
  if (confirmed === amount_usd) return nanoUsd;
  const isLarge = Math.abs(nanoUsd) > CONFIRMED_ABOVE_USD * NANO_PER_USD;
  if (confirmed === undefined && !isLarge) return nanoUsd;
  const param = "confirm_amount_usd";
  if (confirmed !== undefined) throw invalidValue(param, "expected the same amount as 'amount_usd'");
  const message = `Amounts above ${CONFIRMED_ABOVE_USD} USD are sent twice: repeat the amount in '${param}'.`;
  throw new Fault("missing_required_parameter", message, { param });
}

/** Ids made from a client's key contain a space, so they can't collide with our own. */
function makeOrderId(idempotencyKey: string | null, random: Random): string {
  if (idempotencyKey !== null) return `idem ${readIdempotencyKey(idempotencyKey, "Idempotency-Key")}`;
  return `top_${Buffer.from(random.bytes(ID_BYTES)).toString("hex")}`;
}

/** Returns once the movement survives a power failure. After an unknown outcome it retries with the movement's id. */
async function commitOrder(store: Pick<Store, "transact" | "durable">, ordered: FundOrder): Promise<Account> {
  let doubt: Fault | null = null;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    let written = false;
    try {
      const account = await fundAccount(store, ordered);
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
    "The store failed, so it is unknown whether this was recorded. Repeat it with the same Idempotency-Key, or check the account's journal first.";
  throw new Fault("store_unavailable", message, { outcomeUnknown: true, cause: doubt });
}
