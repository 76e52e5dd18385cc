// Stripe's events, as far as they concern money: few fields are read, since their form follows the endpoint's version.

import { CHECKOUT_FIELD, type CheckoutStep, type TakingStep } from "../core/books/checkout.ts";
import { parseReceived } from "../core/json/bounds.ts";
import { asObject, asString, isObject, type JsonObject } from "../core/json/json.ts";
import { NANO_PER_CENT } from "../core/money/money.ts";

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  /** False for a sandbox. */
  readonly isLive: boolean;
  /** Null if it concerns no payment. */
  readonly told: PaymentNotice | null;
}

/** The part of an event that concerns a payment. */
export interface PaymentNotice {
  /** The checkout that Stripe got from us with the payment. Null if the event doesn't name it. */
  readonly checkoutId: string | null;
  readonly paymentId: string | null;
  /** Null if nothing follows from it yet. */
  readonly step: CheckoutStep | null;
  /** Set if money moved in a way that can't be booked. */
  readonly trouble?: string;
}

/** Stripe's own bound on an amount in USD is 999,999.99. */
const CENTS_MAX = 99_999_999;
const ID_CHARACTERS_MAX = 255;

/** Returns null if it isn't an event. */
export function readStripeEvent(text: string): StripeEvent | null {
  const event = asObject(parseReceived(text));
  const id = readId(event.id);
  const type = asString(event.type);
  const object = asObject(event.data).object;
  if (id === null || type === undefined || typeof event.livemode !== "boolean" || !isObject(object)) {
    return null;
  }
  return { id, type, isLive: event.livemode, told: readTold(type, object) };
}

function readTold(type: string, object: JsonObject): PaymentNotice | null {
  if (type.startsWith("checkout.session.")) return readSession(type, object);
  if (type.startsWith("refund.") || type === "charge.refund.updated") {
    return readTaking(object, "refund", findRefundState(type, object));
  }
  if (type.startsWith("charge.dispute."))
    return readTaking(object, "dispute", findDisputeState(type, object));
  return null;
}

/** One without our field is of another product on the same Stripe account. */
function readSession(type: string, session: JsonObject): PaymentNotice | null {
  const checkoutId = readCheckoutId(session);
  if (checkoutId === null) return null;
  const about = { checkoutId, paymentId: readReference(session.payment_intent) };
  switch (type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
      return { ...about, ...readPayment(session, about.paymentId) };
    case "checkout.session.async_payment_failed":
      return { ...about, step: { kind: "ended", state: "failed" } };
    case "checkout.session.expired":
      return { ...about, step: { kind: "ended", state: "expired" } };
    default:
      return { ...about, step: null };
  }
}

/** A delayed method completes the session before it is paid: another event follows. */
function readPayment(session: JsonObject, paymentId: string | null): Pick<PaymentNotice, "step" | "trouble"> {
  if (session.payment_status !== "paid" || session.mode !== "payment") return { step: null };
  const nanoUsd = readNanoUsd(session.amount_total, session.currency);
  if (nanoUsd !== null) return { step: { kind: "paid", paymentId, nanoUsd } };
  return { step: null, trouble: "it was paid, but not in USD" };
}

function readTaking(
  object: JsonObject,
  kind: TakingStep["kind"],
  state: TakingStep["state"] | null,
): PaymentNotice | null {
  const id = readId(object.id);
  const paymentId = readReference(object.payment_intent);
  const checkoutId =
    readCheckoutId(object) ??
    readCheckoutId(asObject(object.payment_intent)) ??
    readCheckoutId(asObject(object.charge));
  if (id === null || (checkoutId === null && paymentId === null)) return null;
  const about = { checkoutId, paymentId };
  if (state === null) return { ...about, step: null };
  const nanoUsd = readNanoUsd(object.amount, object.currency);
  if (nanoUsd !== null) return { ...about, step: { kind, id, state, nanoUsd } };
  return { ...about, step: null, trouble: `its ${kind} ${id} isn't in USD` };
}

/** A pending refund may still fail. One that succeeded may too: the money comes back then. */
function findRefundState(type: string, { status }: JsonObject): TakingStep["state"] | null {
  if (type === "refund.failed" || status === "failed" || status === "canceled") return "returned";
  return status === "succeeded" ? "taken" : null;
}

const TAKEN: ReadonlySet<unknown> = new Set(["needs_response", "under_review", "lost"]);
const RETURNED: ReadonlySet<unknown> = new Set(["won", "prevented"]);

function findDisputeState(type: string, { status }: JsonObject): TakingStep["state"] | null {
  if (type === "charge.dispute.funds_reinstated" || RETURNED.has(status)) return "returned";
  if (asString(status)?.startsWith("warning_")) return "warning";
  return TAKEN.has(status) || type === "charge.dispute.funds_withdrawn" ? "taken" : null;
}

function readCheckoutId({ metadata }: JsonObject): string | null {
  return readId(asObject(metadata)[CHECKOUT_FIELD]);
}

/** An id, or an object that stands in its place. */
function readReference(value: unknown): string | null {
  return readId(isObject(value) ? value.id : value);
}

function readId(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= ID_CHARACTERS_MAX ? value : null;
}

function readNanoUsd(cents: unknown, currency: unknown): number | null {
  const isAmount = typeof cents === "number" && Number.isInteger(cents) && cents >= 0 && cents <= CENTS_MAX;
  return isAmount && currency === "usd" ? cents * NANO_PER_CENT : null;
}
