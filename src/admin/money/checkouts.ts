// Top-ups by card: the amounts that can be paid, and the page on which one is.
import { type Static, Type } from "@sinclair/typebox";
import type { Checkout, CheckoutPages, StripeRules, UnpaidCheckouts } from "../../core/books/checkout.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { refuseClosed } from "../../core/keys/key.ts";
import { digestSecret, mintId } from "../../keys/secret.ts";
import { readIdempotencyKey, readUsd } from "../input.ts";
import { closeObject, text, type View } from "../schema.ts";
import type { ActingWorld } from "../world.ts";

export const newCheckoutSchema = closeObject({
  amount_usd: Type.Number({ exclusiveMinimum: 0, description: "One of `topups.stripe.amounts_usd`." }),
});

export const checkoutSchema = Type.Object({
  id: text,
  url: Type.String({ description: "Stripe's page, on which it is paid within two hours." }),
});
export type CheckoutView = View<typeof checkoutSchema>;

/** Empty if cards aren't taken. */
export const checkoutAmountsSchema = Type.Object({ amounts_usd: Type.Array(Type.Number()) });
export type CheckoutAmountsView = View<typeof checkoutAmountsSchema>;

export interface CheckoutParts extends ActingWorld {
  readonly pages: CheckoutPages;
  readonly rules: StripeRules | undefined;
}

const ID_DIGITS = 30;
const HOUR_MS = 3_600_000;
/** Each is a call to Stripe, and members may make them. One of them alone can't take all that an account has. */
const UNPAID_MAX = 50;
const UNPAID_OF_SENDER = 5;
/** Stripe knows a repeat for 24 hours. Its page must be open for half an hour more. */
const REPEAT_MS = HOUR_MS;

export function viewAmounts(rules: StripeRules | undefined): CheckoutAmountsView {
  return { amounts_usd: [...(rules?.amountsUsd ?? [])] };
}

/**
 * Opens a page on which an amount is paid for an account. An Idempotency-Key identifies the checkout of an account:
 * repeated with the same amount, the page is the same one. Throws the Faults `unknown_url`, `not_found`, `invalid_value`,
 * `account_closed`, `too_many_checkouts`, `idempotency_mismatch`, `idempotency_unavailable`, `upstream_error` and
 * `upstream_timeout`.
 */
export async function makeCheckout(
  parts: CheckoutParts,
  accountId: string,
  { amount_usd }: Static<typeof newCheckoutSchema>,
  idempotencyKey: string | null,
): Promise<CheckoutView> {
  const { store, clock, rules, pages } = parts;
  if (rules === undefined)
    throw new Fault("unknown_url", "Cards aren't taken: topups.stripe isn't configured.");
  if (!rules.amountsUsd.includes(amount_usd)) {
    throw invalidValue("amount_usd", `expected one of ${rules.amountsUsd.join(", ")}`);
  }
  const account = await store.account(accountId);
  if (account === null) throw new Fault("not_found", "There is no account with that id.");
  const closed = refuseClosed(account);
  if (closed !== null) throw closed;
  const checkout = await keepCheckout(parts, accountId, readUsd(amount_usd, "amount_usd"), idempotencyKey);
  const { id, page } = checkout;
  if (page !== null) return { id, url: page.url };
  if (clock.nowMs() - checkout.createdAtMs > REPEAT_MS) {
    const message = "This checkout was never opened, and is too old to be. Send another Idempotency-Key.";
    throw new Fault("idempotency_unavailable", message, { param: "Idempotency-Key" });
  }
  const opened = await pages.open(rules, checkout, makeUrls(rules, accountId));
  await store.checkouts.setPage(checkout, opened);
  return { id, url: opened.url };
}

/** The row is safe before Stripe is called: an event that finds none would be money without an account. */
async function keepCheckout(
  { store, changes, clock, random, pepper, act }: CheckoutParts,
  accountId: string,
  nanoUsd: number,
  idempotencyKey: string | null,
): Promise<Checkout> {
  const nowMs = clock.nowMs();
  const { kind, id: byId } = act.actor;
  const asked: Checkout = {
    accountId,
    nanoUsd,
    createdAtMs: nowMs,
    by: { kind, id: byId },
    id: idempotencyKey === null ? mintId("chk", random) : nameCheckout(accountId, idempotencyKey, pepper),
    page: null,
    state: "open",
    paymentId: null,
    paidNanoUsd: 0,
    takings: [],
  };
  const kept = await changes.addCheckout(asked, nowMs - HOUR_MS, (unpaid) => requireFew(act, unpaid));
  if (kept.nanoUsd !== nanoUsd) {
    const message = "This Idempotency-Key was already used for another amount.";
    throw new Fault("idempotency_mismatch", message, { param: "Idempotency-Key" });
  }
  await store.durable();
  return kept;
}

function nameCheckout(accountId: string, idempotencyKey: string, pepper: Uint8Array): string {
  const key = readIdempotencyKey(idempotencyKey, "Idempotency-Key");
  return `chk_${digestSecret(`checkout ${accountId} ${key}`, pepper).slice(0, ID_DIGITS)}`;
}

/** The admin token opens checkouts for any number of people. */
function requireFew({ actor }: ActingWorld["act"], { inAccount, ofSender }: UnpaidCheckouts): void {
  const isOften = ofSender >= UNPAID_OF_SENDER && actor.kind !== "admin";
  if (inAccount < UNPAID_MAX && !isOften) return;
  const message = !isOften
    ? `An account can have ${UNPAID_MAX} checkouts an hour that nobody has paid.`
    : `You have opened ${UNPAID_OF_SENDER} checkouts of this account within an hour that nobody has paid. Pay one of them.`;
  throw new Fault("too_many_checkouts", message, { retryAfterMs: HOUR_MS });
}

/** Stripe replaces the braces, with which the payer can be told apart in its dashboard. */
function makeUrls({ publicUrl }: StripeRules, accountId: string) {
  const page = `#/settings/accounts/${accountId}`;
  return {
    paidUrl: `${publicUrl}/?session_id={CHECKOUT_SESSION_ID}${page}?paid=yes`,
    cancelledUrl: `${publicUrl}/${page}`,
  };
}
