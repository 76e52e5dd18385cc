// Takes an event from Stripe: from its signature to the entry in the books, which is safe before Stripe is answered.
import type { AuditAction, AuditEntry, AuditFacts } from "../core/audit/audit-log.ts";
import type { Checkout, CheckoutStep, StripeRules, TakingStep } from "../core/books/checkout.ts";
import { Fault, toFault } from "../core/faults/fault.ts";
import { toUsd } from "../core/money/money.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Log } from "../core/world/world.ts";
import { recordCheckoutStep } from "../ledger/money/checkouts.ts";
import { type PaymentNotice, readStripeEvent, type StripeEvent } from "./event.ts";
import { refuseSignature } from "./signature.ts";
import { isLiveKey } from "./stripe.ts";
import type { PaymentTroubles } from "./troubles.ts";

/** Stripe sends an event for three days. A payment that isn't known by then belongs to another product. */
const STRAY_MS = 7 * 86_400_000;
const STRAYS_MAX = 10_000;

export interface HookParts {
  readonly store: Pick<Store, "transact" | "durable" | "checkouts">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
  readonly troubles: PaymentTroubles;
  /** Missing if cards aren't taken. */
  readonly rules: () => StripeRules | undefined;
  /** The time zone of accounts without one of their own. */
  readonly timeZone: () => string;
  /** Makes the entry of what Stripe caused. */
  readonly makeEntry: (facts: AuditFacts) => AuditEntry;
}

/** A body as it came, with the header that signs it. */
interface SignedBody {
  readonly signature: string | null;
  readonly bytes: Uint8Array;
}

/**
 * Returns once what the event tells is safe in the books. Throws the Faults `unknown_url`, `invalid_header` for a
 * signature that isn't Stripe's, `invalid_json`, `invalid_value` for the wrong mode, and `internal_error` for an event
 * that has to come again.
 */
export async function takeStripeEvent(parts: HookParts, body: SignedBody): Promise<void> {
  const rules = parts.rules();
  if (rules === undefined)
    throw new Fault("unknown_url", "Cards aren't taken: topups.stripe isn't configured.");
  const event = readSigned(parts, rules, body);
  const { told } = event;
  if (told === null) return;
  const checkout = await findCheckout(parts.store, told);
  if (checkout !== null) await takeTold(parts, event, told, checkout);
  else if (told.checkoutId !== null) throw refuseUnknown(parts, event, told.checkoutId);
  else await keepStray(parts, event, told);
  await parts.store.durable();
}

function readSigned({ clock, log, troubles }: HookParts, rules: StripeRules, body: SignedBody): StripeEvent {
  const reason = refuseSignature(body.signature, body.bytes, rules.webhookSecret, clock.nowMs());
  if (reason !== null) {
    troubles.noteRefusal(reason);
    throw new Fault("invalid_header", `This isn't an event from Stripe: ${reason}.`, {
      param: "Stripe-Signature",
    });
  }
  const event = readStripeEvent(new TextDecoder().decode(body.bytes));
  if (event === null) throw new Fault("invalid_json", "The body isn't an event of Stripe's.");
  if (event.isLive === isLiveKey(rules)) return event;
  const [theirs, ours] = event.isLive ? ["live", "sandbox"] : ["sandbox", "live"];
  log({ event: "stripe.wrong_mode", level: "warn", stripe_event: event.id, livemode: event.isLive });
  const message = `This is a ${theirs} event, and topups.stripe.secret_key is a ${ours} key.`;
  throw new Fault("invalid_value", message, { param: "livemode" });
}

/** Refunds and disputes name the payment alone. */
async function findCheckout({ checkouts }: HookParts["store"], { checkoutId, paymentId }: PaymentNotice) {
  if (checkoutId !== null) return checkouts.find(checkoutId);
  return paymentId === null ? null : checkouts.findByPayment(paymentId);
}

/** It comes again for three days, in which a restored store may have its row again. */
function refuseUnknown({ log, troubles }: HookParts, { id, type }: StripeEvent, checkoutId: string): Fault {
  log({
    event: "stripe.unknown_checkout",
    level: "error",
    stripe_event: id,
    type,
    checkout_id: checkoutId,
  });
  troubles.note(
    "unknown_checkout",
    "Stripe told of a checkout of this gateway that the store doesn't have. See stripe.unknown_checkout in the log",
  );
  return new Fault("internal_error", "There is no checkout with the id in this event.");
}

async function takeTold(
  parts: HookParts,
  event: StripeEvent,
  { step, trouble }: PaymentNotice,
  checkout: Checkout,
): Promise<void> {
  if (trouble !== undefined) noteTrouble(parts, event, checkout, trouble);
  if (step === null) return;
  await takeStep(parts, event, checkout, step);
  // Also with a repeat of the payment: the first one may have broken off here.
  if (step.kind === "paid" && step.paymentId !== null)
    await takeStrays(parts, event, checkout, step.paymentId);
}

/** Refunds and disputes that came before their payment. */
async function takeStrays(
  parts: HookParts,
  event: StripeEvent,
  checkout: Checkout,
  paymentId: string,
): Promise<void> {
  for (const { kind, id, state, nanoUsd } of await parts.store.checkouts.strays(paymentId)) {
    await takeStep(parts, event, checkout, { kind, id, state, nanoUsd });
  }
}

/** Another product's, or one whose payment comes later: nothing tells them apart yet. */
async function keepStray(
  parts: HookParts,
  event: StripeEvent,
  { step, paymentId }: PaymentNotice,
): Promise<void> {
  if (step === null || paymentId === null || step.kind === "paid" || step.kind === "ended") return;
  const { checkouts } = parts.store;
  const nowMs = parts.clock.nowMs();
  const bound = { beforeMs: nowMs - STRAY_MS, most: STRAYS_MAX };
  await checkouts.keepStray({ ...step, paymentId, atMs: nowMs }, bound);
  // The payment may have come meanwhile, and have looked for strays before this one was written.
  const checkout = await checkouts.findByPayment(paymentId);
  if (checkout !== null) await takeStep(parts, event, checkout, step);
}

const ACTIONS = {
  paid: "topup.made",
  ended: "topup.made",
  refund: "topup.refunded",
  dispute: "topup.disputed",
} as const satisfies Readonly<Record<CheckoutStep["kind"], AuditAction>>;

async function takeStep(
  parts: HookParts,
  event: StripeEvent,
  { accountId, id: checkoutId }: Checkout,
  step: CheckoutStep,
): Promise<void> {
  const { store, clock, log, makeEntry, timeZone } = parts;
  const target = { type: "account", id: accountId, name: "" } as const;
  const after = { stripe_event: event.id, stripe_id: isTaking(step) ? step.id : step.kind };
  const entry = makeEntry({ action: ACTIONS[step.kind], target, accountId, after });
  const change = { accountId, checkoutId, step, entry, nowMs: clock.nowMs(), timeZone: timeZone() };
  const outcome = await recordCheckoutStep(store, change).catch((thrown: unknown) => {
    throw refuseStep(parts, event, checkoutId, thrown);
  });
  if (!outcome.isNew) return;
  log({
    event: "stripe.event",
    type: event.type,
    stripe_event: event.id,
    account_id: accountId,
    checkout_id: checkoutId,
  });
  const { account, checkout } = outcome;
  const { nanoUsd, paidNanoUsd } = checkout;
  if (step.kind === "paid" && paidNanoUsd !== nanoUsd) {
    noteTrouble(parts, event, checkout, `${toUsd(paidNanoUsd)} USD were paid, not ${toUsd(nanoUsd)}`);
  }
  if (account.closedAtMs !== null && account.balanceNanoUsd > 0) {
    noteTrouble(parts, event, checkout, "its account is closed: pay the balance out by hand");
  }
}

function isTaking(step: CheckoutStep): step is TakingStep {
  return step.kind === "refund" || step.kind === "dispute";
}

/** Stripe sends it again, for when it can be booked. */
function refuseStep(parts: HookParts, event: StripeEvent, checkoutId: string, thrown: unknown): Fault {
  const fault = toFault(thrown);
  if (fault.code === "store_unavailable") return fault;
  noteTrouble(parts, event, { id: checkoutId }, fault.message);
  return new Fault("internal_error", "This event can't be booked.", { cause: thrown });
}

function noteTrouble(
  { log, troubles }: HookParts,
  { id, type }: StripeEvent,
  checkout: Pick<Checkout, "id">,
  reason: string,
): void {
  log({
    event: "stripe.trouble",
    level: "error",
    stripe_event: id,
    type,
    checkout_id: checkout.id,
    reason,
  });
  troubles.note(checkout.id, `The card payment ${checkout.id} needs somebody: ${reason}`);
}
